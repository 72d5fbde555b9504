import type { Suite } from '@countersign/protocol';
import { type Policy, portableSha256, type Sha256 } from '@countersign/protocol/log';
import type { Finding, ReportFinding } from './finding.js';
import { LedgerVerifier } from './ledger-verifier.js';
import { FORMAT, FORMAT_VERSION, type HeaderLine, type Line, parseLine, rankOf } from './lines.js';
import type { HeldCheckpoint } from './log/checkpoints.js';
import { logSentences } from './log/sentences.js';
import { TreeVerifier } from './log/tree.js';
import type { Summary } from './summary.js';

/** A running SHA-256, as `createHash('sha256')` of Node.js is one. */
export interface Digest {
  update(text: string): unknown;
  digest(encoding: 'hex'): string;
}

export interface FileOptions {
  readonly suite: Suite;
  readonly digest: Digest;
  /** Hashes leaves; in plain JavaScript where none is given. */
  readonly sha256?: Sha256;
  readonly pinned?: string;
  /** Signed checkpoints of the ledger's log that somebody has kept: the log must go on from each. */
  readonly checkpoints?: readonly HeldCheckpoint[];
  /** Whose cosignatures the checkpoint of the export needs. */
  readonly policy?: Policy;
  readonly found: (finding: Finding) => void;
}

/** A file that is no export, or one of a version that this release does not know. */
export class NotAnExport extends Error {
  override readonly name = 'NotAnExport';
}

/**
 * Verifies an export, line by line: that the file is whole and in order, and the ledger in it. A line that was cut off,
 * moved, doubled or altered on the way shows in the last line's SHA-256, which says that something is wrong; what
 * is wrong with which record, the ledger's own proofs say.
 */
export class ExportVerifier {
  #verifier: LedgerVerifier | undefined;
  #tree: TreeVerifier | undefined;
  #header: HeaderLine | undefined;
  readonly #lines: Record<string, number> = {};
  #number = 0;
  #rank = -1;
  #isEnded = false;
  #isSorted = true;
  #last = '';

  constructor(private readonly options: FileOptions) {}

  /** The first line; undefined before it was added. */
  get header(): HeaderLine | undefined {
    return this.#header;
  }

  get changes(): number {
    return this.#verifier?.changes ?? 0;
  }

  /**
   * Takes the next line, without its line break.
   *
   * @returns the line, where it is one of an export
   * @throws NotAnExport when the first line is not that of an export
   */
  add(text: string): Line | undefined {
    this.#number += 1;
    const line = parseLine(text);
    if (!this.#verifier) return this.#begin(line, text);
    if (this.#isEnded) {
      this.#fault('file', 'comes after the last line');
      return undefined;
    }
    if (typeof line === 'string') {
      this.#take('', text);
      this.#fault('file', line);
      return undefined;
    }
    if (line.line === 'end') {
      this.#close(line);
      return line;
    }
    this.#take(line.line, text);
    const rank = rankOf(line.line);
    if (rank < this.#rank || line.line === 'header') this.#fault('file', `is a line '${line.line}' out of its place`);
    this.#rank = Math.max(rank, this.#rank);
    if (line.line === 'change') this.#assertSorted(line.luid);
    if (line.line === 'change' || line.line === 'leaf') this.#tree!.add(line);
    if (line.line !== 'leaf') this.#verifier.addLine(line);
    return line;
  }

  /** Ends the file. @throws NotAnExport for an empty one */
  end(): Summary {
    if (!this.#verifier) throw new NotAnExport('The file is empty.');
    if (!this.#isEnded) this.#fault('file', 'is the last one, and says nothing of an end: the file was cut off');
    const looked = this.#tree!.end();
    const summary = this.#verifier.end();
    const { checked, unchecked } = logSentences(looked);
    const { head, waiting, erased, cosigned } = looked;
    const seen = cosigned && head && { size: cosigned.size, behind: head.size - cosigned.size };
    return {
      ...summary,
      ...(head
        ? { log: { origin: head.origin, leaves: head.size, waiting, erased, ...(seen ? { cosigned: seen } : {}) } }
        : {}),
      checked: [...summary.checked, ...checked],
      unchecked: [...summary.unchecked, ...unchecked],
    };
  }

  #begin(line: Line | string, text: string): Line {
    if (typeof line === 'string' || line.line !== 'header' || line.format !== FORMAT)
      throw new NotAnExport('The file is not an export of a ledger: its first line is not that of one.');
    if (line.version !== FORMAT_VERSION)
      throw new NotAnExport(
        `The file is an export of version ${line.version}, and this release reads version ${FORMAT_VERSION}.`,
      );
    const { ledger, keys, scope } = line;
    const texts = [ledger.luid, ledger.handle, keys.system, keys.core, keys['system.auth']];
    if (texts.some((one) => typeof one !== 'string'))
      throw new NotAnExport('The first line of the file lacks the ledger, or its keys.');
    // Nobody signs the line, and the money of a part is not compared.
    if (scope !== 'everything')
      throw new NotAnExport("The first line of the file does not say that it is of 'everything', as an export is.");
    this.#take('header', text);
    this.#header = line;
    const { suite, sha256: sha = portableSha256, checkpoints: held = [], policy, found } = this.options;
    this.#verifier = new LedgerVerifier({ ...this.options, ledger: line, isFile: true });
    const report: ReportFinding = (place, rule, detail) => found({ ...place, rule, detail });
    this.#tree = new TreeVerifier({ header: line, suite, sha, held, policy, report });
    return line;
  }

  #take(sort: string, text: string): void {
    this.#lines[sort] = (this.#lines[sort] ?? 0) + 1;
    this.options.digest.update(`${text}\n`);
  }

  #close(line: Extract<Line, { line: 'end' }>): void {
    this.#isEnded = true;
    if (this.options.digest.digest('hex') !== line.sha256)
      this.#fault('file', 'has another SHA-256 than the lines before it: the file was altered after it was written');
    const names = new Set([...Object.keys(line.lines), ...Object.keys(this.#lines)]);
    this.#assertCounted('change', this.#header!.changes);
    this.#assertCounted('entry', this.#header!.entries);
    for (const name of names) {
      const has = this.#lines[name] ?? 0;
      if (has !== (line.lines[name] ?? 0))
        this.#fault('file', `counts ${line.lines[name] ?? 0} lines '${name}', and there are ${has}`);
    }
  }

  /** The first line has been written before all others: lines that were taken out with the end made anew still show. */
  #assertCounted(name: string, promised: number): void {
    const has = this.#lines[name] ?? 0;
    if (has !== promised) this.#fault('file', `ends ${has} lines '${name}', and the first line promises ${promised}`);
  }

  /** Records are in the order of their luids: one that was put elsewhere shows at once. */
  #assertSorted(luid: string): void {
    if (luid < this.#last && this.#isSorted) {
      this.#isSorted = false;
      this.#fault('file', `has ${luid} after ${this.#last}: records are out of order`);
    }
    this.#last = luid;
  }

  #fault(rule: 'file', detail: string): void {
    this.options.found({ rule, detail: `Line ${this.#number} ${detail}` });
  }
}
