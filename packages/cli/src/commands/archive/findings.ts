import type { Json } from '@countersign/protocol';
import { type Finding, formatFinding, type Summary } from '@countersign/verifier';
import type { Invocation } from '../../description/invocation.js';
import { Failure } from '../../terminal/failure.js';
import { printable } from '../../terminal/printable.js';

/** Findings that are shown one by one. */
const MOST_FINDINGS = 100;

/** Gathers findings, and shows the first of them as they come. */
export class Findings {
  #count = 0;
  readonly #kept: Finding[] = [];
  readonly #passing: Finding[] = [];

  constructor(
    private readonly invocation: Invocation,
    private readonly clear: () => void,
  ) {}

  get count(): number {
    return this.#count;
  }

  readonly take = (finding: Finding): void => {
    this.#count += 1;
    if (this.#count > MOST_FINDINGS) return;
    this.#kept.push(finding);
    if (this.invocation.output.isJson) return;
    this.clear();
    this.invocation.output.raw(`✗ ${printable(formatFinding(finding))}\n`);
  };

  /** Takes what was found in one of two readings only. */
  takePassing(finding: Finding): void {
    if (this.#passing.length >= MOST_FINDINGS) return;
    this.#passing.push(finding);
    this.clear();
    this.invocation.output.note(
      `Seen in one of two readings, as happens when a write comes in between: ${formatFinding(finding)}`,
    );
  }

  /**
   * Shows what was looked at, and what could not be.
   *
   * @throws Failure when there are findings
   */
  conclude(summary: Summary): void {
    const { output } = this.invocation;
    const { checked, unchecked, ...counts } = summary;
    const told = {
      ok: this.#count === 0,
      count: this.#count,
      findings: this.#kept,
      passing: this.#passing,
      ...counts,
      checked,
      unchecked,
    };
    output.result(told as unknown as Json, () =>
      ['Checked:', ...checked.map(item), 'Not checked, since this does not show it:', ...unchecked.map(item)].join(
        '\n',
      ),
    );
    if (this.#count === 0) {
      output.done(`Verified ${counts.changes} changes of ${counts.records} records.`);
      return;
    }
    const more = this.#count > MOST_FINDINGS ? `, of which the first ${MOST_FINDINGS} are shown` : '';
    throw new Failure('refused', `${this.#count} findings${more}: this is not what a ledger would have written.`);
  }
}

function item(text: string): string {
  return `  - ${printable(text)}`;
}
