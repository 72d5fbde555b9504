import type { JsonObject, RecordEnvelope, StoredProof } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import type { Subject } from '../access/context.js';
import { authorize } from '../authorization/authorize.js';
import type { Kind } from '../kinds/kind.js';
import type { Session } from '../ledgers/session.js';
import type { Stage } from '../money/intent.js';
import { parseOpen } from '../money/open-state.js';
import { countPosted, decisionOf, eventsIn, isActing, reportOf } from '../money/reports.js';
import { tooManyProofs } from '../records/proof-rules.js';
import { recordLimits } from '../records/record-limits.js';

/**
 * Refuses whoever may not decide about an intent with `config.commit: manual` (interface/intents#reports): a proof with
 * `action` takes the right to do that.
 *
 * @throws as `authorize` does
 */
export async function assertMayDecide(
  session: Session,
  kind: Kind,
  caller: Caller,
  subject: Subject,
  custom: JsonObject | undefined,
): Promise<void> {
  const decision = kind.name === 'intent' ? decisionOf({ custom: custom ?? {} }) : undefined;
  const { commit } = (subject.data.config ?? {}) as { commit?: string };
  if (decision && commit === 'manual') await authorize(session, caller, { action: decision.action, kind, subject });
}

/** Whether the proof may carry an intent on, so that somebody must look at it. */
export function wakesIntent(kind: Kind, proof: StoredProof): boolean {
  return kind.name === 'intent' && (reportOf(proof) ?? decisionOf(proof)) !== undefined;
}

/**
 * Refuses a proof that the record has no room for.
 *
 * Of an intent, only the proofs that clients have posted count, and they may fill half of what a record may hold. A proof that
 * carries the intent on is taken beyond that: otherwise anybody could keep it under way for ever by filling it. Of a kind
 * whose statuses follow one another, such as a report, notes may fill half of the record, too.
 *
 * @param length characters of the record as it is served
 * @throws `record.invalid` when a record has as many proofs as it may (interface/limits)
 */
export async function assertRoomForProof(
  session: Session,
  kind: Kind,
  { record, length }: { readonly record: RecordEnvelope; readonly length: number },
  proof: StoredProof,
): Promise<void> {
  const size = JSON.stringify(proof).length;
  const isFull = length + size > recordLimits.bytes / 2;
  if (kind.name !== 'intent') {
    if (kind.lifecycle.transition && isNote(proof) && isFull) throw tooManyProofs(session);
    if (countBeside(kind, record, proof) >= session.recordProofs) throw tooManyProofs(session);
    return;
  }
  if (!isFull && countPosted(record, session.ledger) < session.recordProofs) return;
  if (!(await mayCarryOn(session, kind, record, proof))) throw tooManyProofs(session);
}

/**
 * Whether the proof is exempt from the limits on proofs and on stored bytes: it is short, and the intent waits for it.
 *
 * @param isMeant selects the stages of the intent at which it is exempt; all of them, unless given
 */
export async function mayCarryOn(
  session: Session,
  kind: Kind,
  record: RecordEnvelope,
  proof: StoredProof,
  isMeant: (stage: Stage) => boolean = () => true,
): Promise<boolean> {
  if (!wakesIntent(kind, proof) || JSON.stringify(proof).length > recordLimits.report) return false;
  return carriesOn(session, record, proof, isMeant);
}

/**
 * How many proofs count against the limit for this one. Where only proofs change a record, notes and proofs that ask for a
 * status are counted apart, so that notes cannot keep anybody from a status.
 */
function countBeside({ lifecycle }: Kind, { meta: { proofs } }: RecordEnvelope, proof: StoredProof): number {
  return lifecycle.transition ? proofs.filter((one) => isNote(one) === isNote(proof)).length : proofs.length;
}

function isNote({ custom }: StoredProof): boolean {
  return custom?.status === undefined;
}

/** Whether the proof is a report or a decision that an intent under way waits for. */
async function carriesOn(
  session: Session,
  record: RecordEnvelope,
  proof: StoredProof,
  isMeant: (stage: Stage) => boolean,
): Promise<boolean> {
  const said = reportOf(proof) ?? decisionOf(proof);
  const open = said && (await session.store.openIntents.one(session.ledger.id, record.luid));
  if (!said || !open) return false;
  const { state, seen } = parseOpen(session, open);
  if (!isMeant(state.stage)) return false;
  const unseen = eventsIn(record, seen, session.ledger);
  if (said.type === 'report') return isActing(state, said, unseen);
  return state.stage === 'held' && !unseen.some(({ type }) => type === 'decided');
}
