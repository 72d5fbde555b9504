import { createHash } from 'node:crypto';
import type { Line } from '@countersign/verifier';

/** Characters between two cuts, at least. */
const CUT_SIZE = 4 * 1024 * 1024;

/** A place between two records, or rows, where what was read so far may be stored. */
export interface Cut {
  /** Lines before it. */
  readonly lines: number;
  /** SHA-256 of these lines, hex. */
  readonly sha256: string;
}

/** Cuts a file into pieces that are stored at once: at the same places each time it is read. */
export class Cutter {
  readonly #digest = createHash('sha256');
  #lines = 0;
  #size = 0;
  #luid = '';

  /** Lines that were taken. */
  get lines(): number {
    return this.#lines;
  }

  /**
   * Takes the next line.
   *
   * @returns the cut before it, where there is one
   */
  take(line: Line, text: string): Cut | undefined {
    let cut: Cut | undefined;
    if (this.#size > CUT_SIZE && this.#isBorder(line)) {
      cut = { lines: this.#lines, sha256: this.#digest.copy().digest('hex') };
      this.#size = 0;
    }
    if (line.line === 'change') this.#luid = line.luid;
    this.#digest.update(`${text}\n`);
    this.#lines += 1;
    this.#size += text.length;
    return cut;
  }

  /** SHA-256 of all lines, hex. None is taken after this. */
  end(): string {
    return this.#digest.digest('hex');
  }

  /** Whether the line begins something new. */
  #isBorder(line: Line): boolean {
    if (line.line === 'current') return false;
    return line.line !== 'change' || line.luid !== this.#luid;
  }
}
