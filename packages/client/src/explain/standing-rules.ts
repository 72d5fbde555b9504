import { isObject, type Json } from '@countersign/protocol';
import type { Collection } from '../collection.js';
import type { Ledger } from '../connect.js';
import { isRefusal } from '../errors.js';
import type { StandingRule } from './granting.js';
import type { RuleLevel } from './rule.js';

/**
 * The rules of the ledger and of a record, as they stand. Those that may not be read are left out.
 *
 * @param id of the record, after the kind's operations: nothing for the ledger itself
 */
export async function collectStandingRules(
  ledger: Pick<Ledger, 'record'>,
  operations: Pick<Collection, 'get'>,
  id: readonly string[],
): Promise<StandingRule[]> {
  const ofLedger = rulesIn('ledger', await fetchAccess(ledger.record.get()));
  return id.length === 0 ? ofLedger : [...ofLedger, ...rulesIn('record', await fetchAccess(operations.get(...id)))];
}

/** The rules of a member `access`. */
export function rulesIn(level: RuleLevel, access: unknown): StandingRule[] {
  return Array.isArray(access) ? (access as Json[]).filter(isObject).map((rule) => ({ level, rule })) : [];
}

async function fetchAccess(record: Promise<{ data: unknown }>): Promise<unknown> {
  try {
    return ((await record).data as { access?: unknown }).access;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}
