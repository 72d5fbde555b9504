import type { ChangeAction, RecordEnvelope, StoredProof, Suite } from '@countersign/protocol';
import type { ReportFinding } from '../finding.js';
import type { ProofCheck } from '../proof-check.js';
import { RecordHistory } from '../record-history.js';
import { namedKey } from './named-key.js';

/** A version of a history as the interface lists it, with its number and action in `meta` (interface/records#history). */
export type ListedVersion = RecordEnvelope & {
  readonly meta: { readonly change: number; readonly action: string; readonly labels?: readonly string[] | null };
};

/** What is wrong with one version, in words that complete a sentence about it. */
export interface HistoryFinding {
  readonly change: number;
  readonly detail: string;
}

/**
 * Whether the versions of a record follow from one another, from its create on: numbers, parents, proofs that are kept, statuses and
 * labels that the proofs give. That hashes and signatures hold is for the caller to see.
 *
 * @param versions all of them, the oldest first; of a record that is not erased
 * @param system the key of the ledger's `system`
 */
export function judgeHistory(
  kind: string,
  luid: string,
  versions: readonly ListedVersion[],
  system: string,
  suite: Suite,
): readonly HistoryFinding[] {
  const findings: HistoryFinding[] = [];
  const report: ReportFinding = ({ change = 0 }, _, detail) => findings.push({ change, detail });
  const proofs = versions.flatMap(({ meta }): readonly StoredProof[] =>
    Array.isArray(meta.proofs) ? meta.proofs : [],
  );
  const keys = { system, core: namedKey(proofs, 'core'), auth: namedKey(proofs, 'system.auth') };
  const history = new RecordHistory({ keys, suite, proofs: SEEN_TO, report }, kind, luid);
  for (const { meta: listed, ...record } of versions) {
    const { change, action, labels, ...others } = listed;
    // A history has null where there are no labels (interface/records#history).
    const meta = { ...others, ...(labels ? { labels } : {}) };
    if (action === 'erase')
      findings.push({ change, detail: 'is an erasure, which leaves no other version (interface/records#erase)' });
    history.add({ kind, luid, change, action: action as ChangeAction, record: { ...record, meta } });
  }
  return findings;
}

const SEEN_TO: ProofCheck = { isValid: () => true, isKnown: () => true, verified: 0, forget() {} };
