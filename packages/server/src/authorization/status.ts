import { LedgerError, type RecordEnvelope, type StoredProof } from '@countersign/protocol';
import type { Subject } from '../access/context.js';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';
import type { Cost } from '../metering/cost.js';
import { applicableValues, isQuorate } from './status-policies.js';

/**
 * The effect of a proof that asks for a status (interface/records#add-a-proof, interface/reports#statuses,
 * interface/policies#status-policies).
 *
 * @param subject the record, as the subject of policies
 * @param proof the proof, as it would be stored
 * @param asked its `custom.status`; null asks to clear the status
 * @returns the status the record has afterwards, or `repeat` when the proof must not be stored
 * @throws `record.update-rejected` for a transition the kind refuses; `record.status-policy-violation` when policies
 *   apply and none names the status
 */
export async function statusAfter(
  session: Session,
  kind: Kind,
  record: RecordEnvelope,
  subject: Subject,
  proof: StoredProof,
  asked: string | null | undefined,
): Promise<'repeat' | { becomes: string | undefined }> {
  const { status: from, proofs } = record.meta;
  if (asked === undefined || kind.lifecycle.fixedStatus) return { becomes: from };
  const outcome = statusOutcome(kind, from, asked);
  if (outcome === 'repeat') return 'repeat';
  // Policies come before the kind's own rules (interface/records#order-of-checks).
  await session.task.turn();
  const values = applicableValues(session.task, session.ledger, subject, asked);
  if (values?.length === 0) throw statusViolation(kind, asked);
  if (outcome === 'refused') {
    throw new LedgerError('record.update-rejected', `Proof contains invalid status change, from ${from} to ${asked}`);
  }
  if (values === undefined) return { becomes: asked ?? undefined };
  const asking = [...proofs, proof].filter((one) => (one.custom?.status ?? null) === asked);
  return (await isQuorate(session, values, asking, subject)) ? { becomes: asked ?? undefined } : { becomes: from };
}

/** What only a drop and an erasure make of a record: one in force never has them. */
const ENDS: readonly (string | null)[] = ['dropped', 'erased'];

function statusOutcome(
  { lifecycle }: Kind,
  from: string | undefined,
  asked: string | null,
): 'moves' | 'repeat' | 'refused' {
  if (ENDS.includes(asked)) return 'refused';
  return asked === null ? 'moves' : (lifecycle.transition?.(from ?? '', asked) ?? 'moves');
}

/**
 * @throws `record.status-policy-violation` when policies are about a new record and none names `created`
 *   (interface/policies#status-policies)
 */
export function assertMayBeCreated(cost: Cost, ledger: Ledger, kind: Kind, subject: Subject): void {
  if (applicableValues(cost, ledger, subject, 'created')?.length === 0) throw statusViolation(kind, 'created');
}

/** The refusal of a status that no value of the applicable policies names (interface/policies#status-policies). */
function statusViolation(kind: Kind, status: string | null): LedgerError {
  return new LedgerError(
    'record.status-policy-violation',
    `Cannot set ${kind.name} status to ${status}. No values correspond to the target status.`,
  );
}
