import type { RecordEnvelope, StoredProof } from '@countersign/protocol';
import type { TrailStep } from '@countersign/protocol/trail';
import { entriesOf, type PlannedEntry } from '../intent-plan.js';
import { type BalanceBooking, IntentTrail, stepOf } from '../intent-trail.js';
import { authorOf, type LedgerKeys } from '../keys.js';

export type { PlannedEntry } from '../intent-plan.js';
export type { BalanceBooking } from '../intent-trail.js';
export { balanceChange } from '../movements.js';
export { namedKey } from './named-key.js';

/** Proofs that follow one another and are one step; `other` are reports of bridges, decisions, and whatever clients post. */
export interface ProvenStep {
  readonly step: TrailStep | 'accepted' | 'other';
  readonly proofs: readonly StoredProof[];
}

/** What the proofs of an intent tell, without its history. */
export interface ProvenIntent {
  readonly steps: readonly ProvenStep[];
  /** The sides of its claims; none where they are not those of the claims. */
  readonly entries: readonly PlannedEntry[];
  /** What was done with the amounts of all entries. */
  readonly booked: readonly BalanceBooking[];
  readonly isReserved: boolean;
  /** As the proofs give it. */
  readonly status: string;
  /** Why the proofs are no trail, in words; none for what a ledger writes (interface/intents#trails). */
  readonly faults: readonly string[];
}

/** Reads the trail of an intent. Whether its signatures hold is for the caller to see. */
export function proveIntent(
  { data, luid, meta }: RecordEnvelope,
  ledger: Pick<LedgerKeys, 'system' | 'core'>,
): ProvenIntent {
  const keys = { ...ledger, auth: '' };
  const { proofs } = meta;
  const accepted = proofs.findIndex((one) => authorOf(keys, one) === 'system' && one.custom?.luid === luid) + 1;
  const steps: { step: ProvenStep['step']; proofs: StoredProof[] }[] = [
    { step: 'accepted', proofs: proofs.slice(0, accepted) },
  ];
  for (const proof of proofs.slice(accepted)) {
    const step = stepOf(keys, proof) ?? 'other';
    const last = steps.at(-1);
    if (last?.step === step && step !== 'other' && step !== 'note') last.proofs.push(proof);
    else steps.push({ step, proofs: [proof] });
  }
  const faults: string[] = accepted === 0 ? ['is not accepted by its ledger'] : [];
  const trail = new IntentTrail(keys, data);
  for (const [at, one] of steps.entries())
    if (at > 0) trail.addProofs(at + 1, one.proofs, (_, detail) => faults.push(detail));
  if (meta.status !== trail.status)
    faults.push(`has the status ${String(meta.status)}, where its proofs give ${trail.status}`);
  const { resolved, booked, isReserved, status } = trail;
  return { steps, entries: entriesOf(resolved), booked, isReserved, status, faults };
}
