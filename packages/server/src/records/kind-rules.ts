import { type JsonObject, LedgerError } from '@countersign/protocol';
import type { Kind, KindName } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import { limits } from '../limits.js';
import { STEPS_TO_COMPILE } from '../schemas/user-schema.js';

/** The kind's own rules about data, which no request schema can say. Throws what the kind throws. */
export function checkData(kind: Kind, ledger: Ledger, data: JsonObject, previous?: JsonObject): void {
  kind.check?.(data, previous, ledger.config);
}

/** Steps that `checkData` takes, where they are many: a schema is compiled. */
export function stepsToCheck(kind: Kind): number {
  return kind.name === 'schema' ? STEPS_TO_COMPILE : 0;
}

/** The kinds whose records are part of what every process holds of a ledger. */
const HELD: ReadonlySet<KindName> = new Set<KindName>(['ledger', 'policy', 'domain', 'schema']);

/**
 * Every process loads what a ledger is judged by as a whole, whenever it changes: it must not grow without end.
 *
 * @throws `record.invalid` when the ledger would hold more than `limits.state`
 */
export function assertRoom(kind: Kind, ledger: Ledger, data: JsonObject, previous?: JsonObject): void {
  assertRoomFor(kind, ledger, JSON.stringify(data).length - (previous ? JSON.stringify(previous).length : 0));
}

/**
 * The same for a record that becomes so many characters longer, by a proof.
 *
 * @throws as `assertRoom` does
 */
export function assertRoomFor(kind: Kind, ledger: Ledger, grows: number): void {
  if (!HELD.has(kind.name)) return;
  if (grows <= 0 || ledger.weight + grows <= limits.state) return;
  const detail = `Policies, domains and schemas of a ledger may hold ${limits.state} characters together`;
  throw new LedgerError('record.invalid', detail);
}
