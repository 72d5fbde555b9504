import { isObject, readJson } from '@countersign/protocol';
import type { StateLine } from './lines.js';

/**
 * What is wrong with a delivery: its event, or its call, must be one that can be made of the history.
 *
 * @param isThere whether there is a record of the luid
 */
export function deliveryDefect(line: StateLine, isThere: (luid: string) => boolean): string | undefined {
  const plan = parseDelivery(String(line.event));
  const references = line.purpose === undefined ? inEvent(plan) : inCall(plan);
  if (!references) return 'has an event that no ledger makes';
  const missing = references.find(([, luid]) => !isThere(luid));
  if (missing) return `tells of ${missing[1]}, which does not exist`;
  return Array.isArray(parseDelivery(`[${String(line.proofs)}]`)) ? undefined : 'has proofs of another form';
}

/** A version that is told of: kind, luid, number. */
type VersionReference = readonly [string, string, number, ...unknown[]];

function inEvent(plan: unknown): VersionReference[] | undefined {
  if (!isObject(plan) || typeof plan.handle !== 'string' || typeof plan.signal !== 'string') return undefined;
  if (!isObject(plan.members)) return undefined;
  const found: VersionReference[] = [];
  for (const member of Object.values(plan.members)) {
    if (!isObject(member)) return undefined;
    if (Object.hasOwn(member, 'value')) continue;
    const reference = Object.hasOwn(member, 'record') ? member.record : member.proof;
    const size = Object.hasOwn(member, 'record') ? 3 : 4;
    if (!isVersionReference(reference) || reference.length !== size || !Number.isSafeInteger(reference.at(-1)))
      return undefined;
    found.push(reference);
  }
  return found;
}

function inCall(plan: unknown): VersionReference[] | undefined {
  if (!isObject(plan) || typeof plan.path !== 'string' || typeof plan.hasDomains !== 'boolean') return undefined;
  if (plan.method !== 'POST' && plan.method !== 'PUT') return undefined;
  if (plan.data !== undefined && !isObject(plan.data)) return undefined;
  return isVersionReference(plan.intent) ? [plan.intent] : undefined;
}

function isVersionReference(value: unknown): value is VersionReference {
  if (!Array.isArray(value)) return false;
  const [kind, luid, change] = value;
  return typeof kind === 'string' && typeof luid === 'string' && Number.isSafeInteger(change);
}

function parseDelivery(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}
