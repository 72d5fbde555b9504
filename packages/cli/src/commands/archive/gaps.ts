import type { Finding } from '@countersign/verifier';

/** What a version that was left out brings about in those that follow it. Hashes and proofs stand for themselves. */
const FOLLOWING: ReadonlySet<Finding['rule']> = new Set(['history', 'meta', 'trail']);

/** Findings, without those that only say again that versions before could not be read. */
export class Gaps {
  /** By luid, the first version that could not be read. */
  readonly #first = new Map<string, number>();

  /** @param found takes each finding that is left */
  constructor(private readonly found: (finding: Finding) => void) {}

  /** Takes versions that could not be read. */
  add(luid: string | undefined, numbers: readonly number[]): void {
    if (luid !== undefined && numbers.length > 0) this.#first.set(luid, Math.min(...numbers));
  }

  /** Takes what the verifier finds. */
  readonly take = (finding: Finding): void => {
    const { rule, luid = '', change = Number.POSITIVE_INFINITY } = finding;
    const first = this.#first.get(luid);
    if (first === undefined || change < first || !FOLLOWING.has(rule)) this.found(finding);
  };

  /** Takes what the reading itself has found. */
  report(finding: Finding): void {
    this.found(finding);
  }
}
