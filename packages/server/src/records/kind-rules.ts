import { type JsonObject, LedgerError } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import { limits } from '../limits.js';

/** Runs the kind's own checks of data, beyond its request schema. Throws what the kind throws. */
export function checkData(kind: Kind, ledger: Ledger, data: JsonObject, previous?: JsonObject): void {
  kind.data.check?.(data, previous, ledger.config);
}

/** Steps that `checkData` takes, where they are many. */
export function stepsToCheck(kind: Kind): number {
  return kind.data.checkSteps ?? 0;
}

/**
 * Bounds the state of a ledger, which every process loads as a whole after each change. Records in domains get only
 * part of it: otherwise a caller with rights in one domain could fill it, and keep the ledger from changing its own
 * rules.
 *
 * @param domain the one that the record is in
 * @throws `record.invalid` when the ledger would hold more than `limits.state`; for a record in a domain, more than
 *   `limits.stateForDomains`
 */
export function assertStateFits(
  kind: Kind,
  ledger: Ledger,
  domain: string | undefined,
  data: JsonObject,
  previous?: JsonObject,
): void {
  if (kind.access.part === undefined) return;
  const grows = JSON.stringify(data).length - (previous ? JSON.stringify(previous).length : 0);
  assertGrowthFits(kind, ledger, domain, grows);
}

/**
 * The same for a record that a proof makes longer by so many characters.
 *
 * @throws as `assertStateFits` does
 */
export function assertGrowthFits(kind: Kind, ledger: Ledger, domain: string | undefined, grows: number): void {
  if (kind.access.part === undefined) return;
  const most = domain === undefined ? limits.state : limits.stateForDomains;
  if (grows <= 0 || ledger.weight + grows <= most) return;
  const detail = `Policies, domains and schemas of a ledger may hold ${most} characters together`;
  throw new LedgerError('record.invalid', domain === undefined ? detail : `${detail} when one in a domain is added`);
}
