import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import { isCron, isTimezone, makeTimetable, type Timetable } from '../../base/timetable.js';
import { requestInvalid } from '../refusal.js';

/** The time zone of a schedule that names none. */
const DEFAULT_ZONE = 'UTC';

/**
 * Throws `record.schema-invalid` for a schedule that could not be followed (interface/policies#schedule-policies).
 *
 * @param data that of a schedule policy
 */
export function checkSchedule({ inputs, config, values }: JsonObject): void {
  if (isObject(inputs) && typeof inputs.schema !== 'string') {
    throw scheduleInvalid('/data/inputs/schema', 'type', { type: 'string' }, 'must be string');
  }
  const timezone = isObject(config) ? config.timezone : undefined;
  if (timezone !== undefined && !(typeof timezone === 'string' && isTimezone(timezone))) {
    throw scheduleInvalid('/data/config/timezone', 'format', { format: 'timezone' }, 'must match format "timezone"');
  }
  // The first that is wrong ends it: to find that one names no instant takes the longest.
  cronsOf(values).forEach((cron, index) => {
    if (!isCron(cron))
      throw scheduleInvalid(`/data/values/${index}/cron`, 'format', { format: 'cron' }, 'must match format "cron"');
  });
}

/**
 * When a schedule policy acts; nothing for one that does not, as it names no instant. Policies that were stored by
 * earlier releases may hold anything.
 */
export function timetableOf({ config, values }: JsonObject): Timetable | undefined {
  const crons = cronsOf(values).filter(isCron);
  const timezone = (isObject(config) ? config.timezone : undefined) ?? DEFAULT_ZONE;
  if (crons.length === 0 || typeof timezone !== 'string' || !isTimezone(timezone)) return undefined;
  return makeTimetable(crons, timezone);
}

function cronsOf(values: Json | undefined): string[] {
  const given = Array.isArray(values) ? values : [];
  return given.map((value) => (isObject(value) && typeof value.cron === 'string' ? value.cron : ''));
}

function scheduleInvalid(instancePath: string, keyword: string, params: JsonObject, message: string) {
  return requestInvalid({ instancePath, keyword, params, message });
}
