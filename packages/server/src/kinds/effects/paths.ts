import type { JsonObject } from '@countersign/protocol';
import { requestInvalid } from '../refusal.js';

/** What the data of an event has under a name. */
type MemberForm = 'record' | 'proofs' | 'value';

/** Signals that nothing raises yet, so that nothing is known of their events. */
const RESERVED = /^(bridge-entry|request)-/;

const MONEY_EVENT_MEMBERS: Readonly<Record<string, MemberForm>> = {
  amount: 'value',
  intent: 'record',
  symbol: 'record',
  wallet: 'record',
};

/** The members of every event. */
const EVERY_EVENT: Readonly<Record<string, MemberForm>> = { handle: 'value', signal: 'value' };

/** Members of a record. */
const RECORD = ['data', 'hash', 'luid', 'meta'];

/**
 * What the events of a signal have in their data, by name (interface/effects#events); undefined for a signal that is
 * reserved.
 */
export function eventMembers(signal: string): Readonly<Record<string, MemberForm>> | undefined {
  if (RESERVED.test(signal)) return undefined;
  if (signal === 'balance-received') return { ...EVERY_EVENT, ...MONEY_EVENT_MEMBERS };
  if (signal === 'wallet-limited') return { ...EVERY_EVENT, ...MONEY_EVENT_MEMBERS, metric: 'value' };
  const [, kind = '', verb] = /^(.+)-(created|updated|proofs-added|dropped)$/.exec(signal) ?? [];
  if (verb === 'created') return { ...EVERY_EVENT, [kind]: 'record' };
  if (verb === 'updated') return { ...EVERY_EVENT, [kind]: 'record', parent: 'record' };
  if (verb === 'proofs-added') return { ...EVERY_EVENT, [kind]: 'value', proofs: 'proofs' };
  return verb === 'dropped' ? { ...EVERY_EVENT, parent: 'record' } : undefined;
}

/**
 * Checks that each path of an effect's filter can lead somewhere in an event of its signal: one that cannot never matches,
 * and the effect would be silent for ever (interface/effects#filters).
 *
 * @throws `record.schema-invalid` for the first that cannot
 */
export function checkPaths(filter: JsonObject, signal: string): void {
  const members = eventMembers(signal);
  if (!members) return;
  for (const path of Object.keys(filter)) {
    const [first = '', second] = path.split('.', 2);
    const member = Object.hasOwn(members, first) ? members[first] : undefined;
    if (member === undefined) {
      throw leadsNowhere(path, `must have paths that begin with ${listNames(Object.keys(members))}`);
    }
    if (second === undefined) continue;
    if (member === 'value') throw leadsNowhere(path, `must have no paths below ${first}`);
    if (member === 'record' && !RECORD.includes(second)) {
      throw leadsNowhere(path, `must have paths that lead from ${first} to ${listNames(RECORD)}`);
    }
  }
}

function leadsNowhere(path: string, expected: string) {
  const message = `${expected}: '${path}' matches no event`;
  return requestInvalid({
    instancePath: '/data/filter',
    keyword: 'propertyNames',
    params: { propertyName: path },
    message,
  });
}

function listNames(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
