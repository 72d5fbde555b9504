import { isObject, type Suite } from '@countersign/protocol';
import { type Checkpoint, entryOf, leafHash, type Policy, type Sha256 } from '@countersign/protocol/log';
import type { FindingPlace, ReportFinding } from '../finding.js';
import type { ChangeLine, ErasedLine, HeaderLine, LeafLine, LogHead } from '../lines.js';
import { CheckpointReader, type HeldCheckpoint } from './checkpoints.js';
import { LeafHashes } from './leaf-hashes.js';
import { commitmentOfLine, type LoggedLine, toLoggedLine } from './leaf-of-line.js';
import { generationOf, headDefect, logOf } from './log-head.js';
import { judgeEarlier, predecessorDefect } from './predecessor.js';
import type { LogFacts } from './sentences.js';

export interface TreeOptions {
  readonly header: HeaderLine;
  readonly suite: Suite;
  readonly sha: Sha256;
  /** Checkpoints that somebody has kept. */
  readonly held: readonly HeldCheckpoint[];
  /** Whose cosignatures the checkpoint needs. */
  readonly policy: Policy | undefined;
  readonly report: ReportFinding;
}

/** Holds the changes of an export against the log of its ledger: each is the leaf that its line says (interface/log-verifying). */
export class TreeVerifier {
  readonly #head: LogHead | undefined;
  readonly #leaves: LeafHashes;
  readonly #checkpoints: CheckpointReader;
  readonly #log: (detail: string) => void;
  /** The record that is looked at, and where the last of its changes stands; undefined where that waits to be sealed. */
  #last: { readonly luid: string; readonly index: number | undefined } | undefined;
  #waiting = 0;
  #oldest: string | undefined;
  #erased = 0;
  /** Of those, the ones that an imported ledger's own log does not have. */
  #named = 0;
  #restarts = 0;
  /** What the first leaf of a later generation says of the one before. */
  #predecessor: Checkpoint | undefined;
  /** Checkpoints of earlier generations: those that are the last of theirs, and those that nothing here tells of. */
  #earlier = { same: 0, unknown: 0 };
  #faults = 0;
  #hasStray = false;

  constructor(private readonly options: TreeOptions) {
    const { header, suite } = options;
    const place = { kind: 'ledger', luid: header.ledger.luid };
    this.#log = (detail) => this.#report(place, detail);
    this.#checkpoints = new CheckpointReader(header.keys.system, suite, this.#log);
    const { log } = header;
    const sizes = [...checkpointsOf(log), ...options.held].flatMap((one) => this.#checkpoints.sizeOf(one) ?? []);
    this.#leaves = new LeafHashes(sizes, options.sha);
    const defect = log && headDefect(log, header);
    if (defect !== undefined) this.#log(`has a log that ${defect}`);
    else this.#head = log;
  }

  add(line: LeafLine | ChangeLine | ErasedLine): void {
    const logged = toLoggedLine(line);
    if (line.line === 'leaf') this.#restart(line);
    if (logged.text === null) this.#erased += 1;
    if (logged.leaf === undefined) this.#wait(line as ChangeLine | ErasedLine);
    else if (isNamedOnly(logged) && (!this.#head || this.#head.behind)) this.#name(logged);
    else if (this.#head) this.#take(logged, this.#head);
    else if (!this.#hasStray) {
      this.#hasStray = true;
      this.#report(placeOfLine(logged), 'has a leaf, and the export says nothing of a log');
    }
  }

  end(): LogFacts {
    const { held, policy } = this.options;
    const head = this.#head;
    if (!head) {
      if (held.length > 0 || policy)
        this.#log('has no log in this export: there is nothing to hold checkpoints against');
      return this.#looked(undefined);
    }
    if (head.generation > 1 && this.#restarts === 0)
      this.#log(`has a log of generation ${head.generation}, and no leaf that says what came before it`);
    const whole = this.#leaves.count === head.size;
    if (!whole) {
      const lacking = head.size - this.#leaves.count;
      this.#log(`lacks ${lacking} of the ${head.size} leaves of its log, the first at ${this.#leaves.firstFree()}`);
    }
    this.#compare(head, whole ? head.size : this.#leaves.firstFree());
    return this.#looked(this.#cosigned(head));
  }

  #looked(cosigned: LogFacts['cosigned']): LogFacts {
    const { same, unknown } = this.#earlier;
    const held = this.options.held.length - same - unknown;
    return {
      head: this.#head,
      waiting: this.#waiting,
      oldest: this.#oldest,
      erased: this.#erased,
      named: this.#named,
      held,
      earlier: this.#earlier,
      isSound: this.#faults === 0,
      cosigned: this.#faults === 0 ? cosigned : undefined,
    };
  }

  #report(place: FindingPlace, detail: string): void {
    this.#faults += 1;
    this.options.report(place, 'log', detail);
  }

  /** A change without a leaf: it was stored, and not sealed yet when the export was made. */
  #wait({ luid, change, kind, moment, text, action }: ChangeLine | ErasedLine): void {
    this.#waiting += 1;
    if (this.#oldest === undefined || moment < this.#oldest) this.#oldest = moment;
    this.#last = { luid, index: undefined };
    const fault = (detail: string) => this.#report({ kind, luid, change }, detail);
    if (text === null) fault('was erased, and has no leaf that says what it was');
    const head = this.#head;
    if (text === null || !head || head.behind || head.stopped !== undefined) return;
    const age = Date.parse(this.options.header.moment) - Date.parse(moment);
    if (action === 'erase') fault('says that its record is erased, and is not in the log');
    else if (!(age <= LONGEST_LEAF_WAIT))
      fault(`is not in the log, though it was stored ${inWords(age)} before the export`);
  }

  /** An erased change of an imported ledger that its log does not have: what the first log had of it is named. */
  #name(line: LoggedLine): void {
    this.#named += 1;
    this.#last = { luid: line.luid, index: undefined };
    const commitment = commitmentOfLine(line, this.options.header.ledger.luid, this.options.sha);
    if (typeof commitment === 'string') this.#report(placeOfLine(line), commitment);
  }

  #take(line: LoggedLine, { size }: LogHead): void {
    const { ledger } = this.options.header;
    const fault = (detail: string) => this.#report(placeOfLine(line), detail);
    const before = this.#last?.luid === line.luid ? this.#last : undefined;
    const index = isObject(line.leaf) ? (line.leaf.index as number) : Number.NaN;
    if (!Number.isSafeInteger(index)) {
      fault("has no index in 'leaf'");
      return;
    }
    if (before && before.index === undefined) fault('has a leaf, and the change before it has none');
    if (before && index <= before.index!)
      fault(`is the leaf ${index}, and the change before it the leaf ${before.index}`);
    this.#last = { luid: line.luid, index };
    if (index < 0 || index >= size) {
      fault(`is the leaf ${index}, and the log has ${size}`);
      return;
    }
    const commitment = commitmentOfLine(line, ledger.luid, this.options.sha);
    if (typeof commitment === 'string') fault(commitment);
    else if (!this.#leaves.put(index, leafHash(entryOf(commitment), this.options.sha)))
      fault(`is the leaf ${index}, which another change is, too`);
  }

  /** The first leaf of a tree that an operator began after a restore: it names the last checkpoint of the tree before. */
  #restart({ kind, luid, change, action, text, index }: LeafLine): void {
    const { ledger } = this.options.header;
    const fault = (detail: string) => this.#report({ kind, luid }, detail);
    this.#restarts += 1;
    const isFirst = index === 0 && this.#restarts === 1 && (this.#head?.generation ?? 1) > 1;
    if (!isFirst || kind !== 'log' || luid !== ledger.luid || action !== 'restart' || change !== this.#head?.generation)
      fault(`is a leaf '${action.slice(0, 40)}' that a log does not have at ${index}`);
    // Nothing was known to have been shown.
    if (text === '' || !this.#head) return;
    const named = this.#checkpoints.readOwn({ name: 'the checkpoint that the first leaf names', text });
    const defect = named && predecessorDefect(named, this.#head.origin);
    if (defect !== undefined) fault(defect);
    else this.#predecessor = named;
  }

  /** Compares roots, as far as leaves are there. */
  #compare(head: LogHead, known: number): void {
    const named = checkpointsOf(head);
    const held = this.options.held.filter((one) => !this.#isEarlier(one, head));
    const read = [...named, ...held].flatMap((one, at) => {
      const checkpoint = this.#checkpoints.read(one, head.origin);
      return checkpoint ? [{ ...checkpoint, name: one.name, isOwn: at === 0 }] : [];
    });
    const roots = this.#leaves.rootsAt(read.map(({ size }) => size).filter((size) => size <= known));
    for (const { name, size, root, isOwn } of read) {
      if (isOwn && size !== head.size) this.#log(`has a log of ${head.size} leaves, and ${name} is of ${size}`);
      else if (size > head.size)
        this.#log(
          `has a log of ${head.size} leaves, and ${name} is of ${size}: the export was cut off, or the log set back`,
        );
      else if (size <= known && !isSameHash(root, roots.get(size)!))
        this.#log(`has changes whose first ${size} leaves have another root than ${name}: they were altered, or moved`);
    }
  }

  /** Whether the checkpoint is of a generation before this one; it is compared then, as far as that can be. */
  #isEarlier(one: HeldCheckpoint, { origin }: LogHead): boolean {
    const own = this.#checkpoints.originOf(one);
    if (own === undefined || logOf(own) !== logOf(origin) || generationOf(own) >= generationOf(origin)) return false;
    const checkpoint = this.#checkpoints.read(one, own);
    const judged = checkpoint && judgeEarlier(one.name, checkpoint, this.#predecessor);
    if (judged === 'same' || judged === 'unknown') this.#earlier[judged] += 1;
    else if (judged !== undefined) this.#log(judged);
    return true;
  }

  #cosigned(head: LogHead): LogFacts['cosigned'] {
    const { policy } = this.options;
    if (!policy) return undefined;
    const name = head.cosigned === undefined ? 'the checkpoint of the export' : 'the cosigned checkpoint of the export';
    const text = head.cosigned ?? head.checkpoint;
    const witnesses = this.#checkpoints.accept({ name, text }, policy);
    // A quorum of none says nothing.
    if (!witnesses?.length) return undefined;
    return { witnesses, size: this.#checkpoints.read({ name, text }, head.origin)?.size ?? 0 };
  }
}

/** The checkpoints that an export names, its own first; unchecked. */
function checkpointsOf(head: LogHead | undefined): HeldCheckpoint[] {
  const { checkpoint, cosigned } = head ?? {};
  return [
    { name: 'the checkpoint of the export', text: checkpoint },
    { name: 'the cosigned checkpoint of the export', text: cosigned },
  ].filter((one): one is HeldCheckpoint => typeof one.text === 'string');
}

/** Milliseconds that a change may wait for its leaf; a server seals within one. */
const LONGEST_LEAF_WAIT = 60_000;

/** A time in whole minutes, hours or days. */
function inWords(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  const [count, unit] =
    minutes < 120
      ? [minutes, 'minutes']
      : minutes < 2880
        ? [Math.floor(minutes / 60), 'hours']
        : [Math.floor(minutes / 1440), 'days'];
  return `${count} ${unit}`;
}

/** Whether a line names the commitment of an erased change, and no place in the log. */
function isNamedOnly({ text, leaf }: LoggedLine): boolean {
  return text === null && isObject(leaf) && leaf.index === undefined;
}

function placeOfLine({ kind, luid, change }: LoggedLine): FindingPlace {
  return { kind, luid, change };
}

function isSameHash(one: Uint8Array, other: Uint8Array): boolean {
  return one.every((byte, at) => byte === other[at]);
}
