import { isRefusal, type Ledger } from '@countersign/client';
import { isObject, type Json } from '@countersign/protocol';
import type { StandingRule } from '../../explain/granting.js';
import type { RuleLevel } from '../../explain/rule.js';
import type { Operations } from '../records/kind.js';

/** The rules of the ledger and of a record, as they stand. Those that may not be read are left out. */
export async function collectStandingRules(
  ledger: Ledger,
  operations: Operations,
  id: string[],
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
