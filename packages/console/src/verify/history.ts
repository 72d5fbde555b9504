import type { Signed } from '@countersign/client';
import { canonical, type Json, portable } from '@countersign/protocol';
import { type HistoryFinding, judgeHistory, type ListedVersion } from '@countersign/verifier/history';

/** What was found of the versions of a record that are loaded. */
export interface HistoryVerdict {
  /** The newest first, each once. */
  readonly versions: readonly Signed[];
  /** Whether they are all, and each follows from the one before, by the rules of the verifier. */
  readonly isWhole: boolean;
  readonly findings: readonly HistoryFinding[];
}

/**
 * Judges a history. Where older versions are not loaded yet nothing is said of it. Pages are counted from the newest version, so
 * that one comes twice where a change was stored between two pages.
 *
 * @param loaded the newest first
 * @param hasMore whether older ones are left
 * @param key of the ledger's `system`
 */
export function judgeVersions(kind: string, loaded: readonly Signed[], hasMore: boolean, key: string): HistoryVerdict {
  const numbers = loaded.map(({ meta }) => meta.change);
  const versions = loaded.filter((_, at) => numbers.indexOf(numbers[at]) === at);
  const [newest] = versions;
  // The history of an erased record is its erasure alone (interface/records#erase).
  const isErased = versions.length === 1 && newest?.meta.action === 'erase';
  if (hasMore || isErased || newest === undefined) return { versions, isWhole: false, findings: [] };
  const oldestFirst = versions.toReversed() as unknown as ListedVersion[];
  const findings = judgeHistory(kind, newest.luid, oldestFirst, key, portable);
  return { versions, isWhole: findings.length === 0, findings };
}

/** Whether two are one version: what they say, who signed it, and what became of it. What a server adds to lists does not count. */
export function isSameVersion(one: Signed, other: Signed): boolean {
  return versionText(one) === versionText(other);
}

function versionText({ hash, luid, meta }: Signed): string {
  const { proofs, status, labels, owners, moment } = meta;
  // A history has null where there are no labels.
  const told = { hash, luid, proofs, status, owners, moment, labels: labels ?? undefined };
  return canonical(
    Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)) as unknown as Json,
  );
}
