import type { RecordEnvelope, StoredProof } from '@countersign/protocol';
import type { Ledger } from '../ledgers/ledger.js';
import type { IntentEvent, IntentState, ReportStatus } from './intent.js';
import { applyReport } from './machine.js';

const REPORTABLE_STATUSES: readonly unknown[] = ['prepared', 'failed', 'committed', 'aborted'] satisfies ReportStatus[];

/** What bridges report of a part: its handle, and what became of it (interface/intents#reports). */
export type BridgeReport = Extract<IntentEvent, { type: 'report' }>;

/** The report that a proof makes, by what it says alone: whether it acts, the intent's state tells. */
export function reportOf({ custom }: Pick<StoredProof, 'custom'>): BridgeReport | undefined {
  const { handle, status } = custom ?? {};
  if (typeof handle !== 'string' || !REPORTABLE_STATUSES.includes(status)) return undefined;
  return { type: 'report', part: handle, status: status as ReportStatus };
}

/** What a proof decides about an intent that is held for a signer (interface/intents#reports). */
export function decisionOf({
  custom,
}: Pick<StoredProof, 'custom'>): Extract<IntentEvent, { type: 'decided' }> | undefined {
  const { action } = custom ?? {};
  return action === 'commit' || action === 'abort' ? { type: 'decided', action } : undefined;
}

/** What clients have said since the last decision, in its order. @param seen proofs that the state knows of */
export function eventsIn({ meta }: RecordEnvelope, seen: number, ledger: Ledger): IntentEvent[] {
  const news = meta.proofs.slice(seen).filter((proof) => !isLedgers(ledger, proof));
  return news.flatMap((proof): IntentEvent[] => {
    const event = reportOf(proof) ?? decisionOf(proof);
    return event ? [event] : [];
  });
}

/**
 * Whether a report carries the intent on: one that comes too late, or again, is only kept.
 *
 * @param unseen what was reported since the state was decided
 */
export function isActing(state: IntentState, report: BridgeReport, unseen: readonly IntentEvent[]): boolean {
  const said = unseen.some((one) => one.type === 'report' && one.part === report.part && one.status === report.status);
  return !said && applyReport(state, report.part, report.status) !== undefined;
}

/** Reports that one call of a bridge may bring: of what it prepared, and how that ended. */
const PER_PART = 3;

/**
 * The proofs of an intent that count against the limit of a record's proofs (interface/limits): those that clients have
 * posted, but for the reports of its bridges, each of which says one thing once.
 */
export function countPosted({ meta }: RecordEnvelope, ledger: Ledger): number {
  const posted = meta.proofs.filter((proof) => !isLedgers(ledger, proof));
  const bridged = meta.proofs.filter((proof) => {
    return isLedgers(ledger, proof) && proof.custom?.status === 'resolved' && proof.custom.bridge !== undefined;
  });
  const reports = new Set(
    posted.flatMap((proof) => reportOf(proof) ?? []).map(({ part, status }) => `${status} ${part}`),
  );
  return posted.length - Math.min(reports.size, PER_PART * bridged.length);
}

/** Whether the ledger made it on its own; what `auth` signs, it signs for a client with a token. */
function isLedgers({ system, core }: Ledger, proof: StoredProof): boolean {
  return proof.public === system.public || proof.public === core.public;
}
