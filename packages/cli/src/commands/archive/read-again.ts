import type { Finding, Summary } from '@countersign/verifier';
import { Failure } from '../../terminal/failure.js';
import type { Findings } from './findings.js';

/**
 * What writes meanwhile may bring about: records are read one after the other, so that they need not be of one moment. A
 * hash or a signature that is wrong was never right, and needs no second look.
 */
const TRANSIENT_RULES: ReadonlySet<Finding['rule']> = new Set(['history', 'meta', 'money', 'ledger', 'signer', 'file']);
/** Findings of one reading that are kept. */
const MOST_KEPT = 10_000;

/**
 * Verifies what a server answers, and once more when something was found that a write meanwhile may have brought about.
 * What is not found again is told apart, and is no alarm.
 *
 * @param read verifies it all anew, and hands over each finding
 */
export async function verifyAgain(
  read: (found: (finding: Finding) => void) => Promise<Summary>,
  findings: Findings,
): Promise<Summary> {
  const first = await collectFindings(read).catch((error: unknown) => {
    // A record was dropped between the list and its history, or the record above it renamed.
    if (error instanceof Failure && error.more.reason === 'record.not-found') return undefined;
    throw error;
  });
  if (first !== undefined && !first.found.some(({ rule }) => TRANSIENT_RULES.has(rule))) {
    for (const one of first.found) findings.take(one);
    return first.summary;
  }
  const second = await collectFindings(read);
  const [before, after] = [first?.found ?? [], second.found];
  for (const one of after) {
    if (!TRANSIENT_RULES.has(one.rule) || has(before, one)) findings.take(one);
    else findings.takePassing(one);
  }
  for (const one of before) {
    if (has(after, one)) continue;
    if (TRANSIENT_RULES.has(one.rule)) findings.takePassing(one);
    else findings.take(one);
  }
  return second.summary;
}

async function collectFindings(read: (found: (finding: Finding) => void) => Promise<Summary>) {
  const found: Finding[] = [];
  const summary = await read((finding) => {
    if (found.length < MOST_KEPT) found.push(finding);
  });
  return { found, summary };
}

/** Whether there is a finding of the same rule in the same place; how far amounts differ may change between. */
function has(findings: readonly Finding[], { kind, luid, rule, detail }: Finding): boolean {
  return findings.some(
    (one) =>
      one.rule === rule && one.kind === kind && one.luid === luid && (luid !== undefined || one.detail === detail),
  );
}
