import { hash as hashOf, type StoredProof } from '@countersign/protocol';
import type { ReportFault } from './changes.js';
import { jsonText } from './json/json-text.js';
import { attributionDefect, authorOf } from './keys.js';
import { kindFacts } from './kinds.js';
import type { ErasedLine } from './lines.js';
import type { HistoryDeps } from './record-history.js';
import { formDefect, isMomentText, type RecordVersion } from './version.js';

/** What a change can have done whose text is erased. */
const ERASABLE_ACTIONS: readonly string[] = ['create', 'update', 'drop'];

/**
 * A record whose texts were erased (interface/records#erase). That they are gone is believed only where the ledger has
 * signed it: the last change says so, and names the record and how many changes it had.
 */
export class ErasedRecord {
  /** Changes without a text, gapless from 1. */
  #count = 0;
  #isStated = false;

  constructor(
    private readonly deps: HistoryDeps,
    readonly kind: string,
    readonly luid: string,
  ) {}

  /** Takes a change without a text. Nothing binds its action and its moment: they are some that a change may have. */
  add({ kind, luid, change, action, moment }: ErasedLine): void {
    const fault: ReportFault = (rule, detail) => this.deps.report({ kind, luid, change }, rule, detail);
    if (kind !== this.kind) fault('history', `was erased, and the change before it is of a ${this.kind}`);
    if (change !== this.#count + 1)
      fault('history', `follows change ${this.#count}: versions are missing, or not in order`);
    this.#count = change;
    if (!ERASABLE_ACTIONS.includes(action)) fault('form', `has the action '${action.slice(0, 40)}'`);
    if (!isWritten(moment)) fault('form', 'has a moment that no ledger writes');
  }

  /**
   * Takes the change that says that the record is erased.
   *
   * @param isWhole whether the erased changes must have come before it, as in a file
   * @returns its proofs; undefined where its form is not that of a record
   */
  state(version: RecordVersion, isWhole: boolean): readonly StoredProof[] | undefined {
    const { luid, kind, change } = version;
    const fault: ReportFault = (rule, detail) => this.deps.report({ kind, luid, change }, rule, detail);
    this.#isStated = true;
    const facts = kindFacts(kind);
    if (!facts || kind !== this.kind || !luid.startsWith(`$${facts.prefix}.`))
      fault('form', 'has a luid of another kind of record');
    if (facts?.isKept) fault('history', `erases a ${kind}, which stays for good`);
    if (change < 2 || (isWhole && change !== this.#count + 1))
      fault('history', `erases a record that has ${this.#count} changes here`);
    // The statement has none of the members that the kind adds.
    const defect = formDefect({ ...version, kind: '' });
    if (defect !== undefined) {
      fault('form', defect);
      return undefined;
    }
    this.#judge(version, fault);
    return version.record.meta.proofs;
  }

  /** Ends the record. */
  end(): void {
    const { luid, kind } = this;
    if (!this.#isStated)
      this.deps.report({ kind, luid }, 'history', 'has changes without a text, and none that says they were erased');
  }

  #judge({ kind, luid, change, record }: RecordVersion, fault: ReportFault): void {
    const { keys, proofs, suite } = this.deps;
    const { hash, data, meta } = record;
    const isStatement = Object.keys(data).sort().join() === 'change,luid,reason' && typeof data.reason === 'string';
    if (!isStatement) fault('form', 'has other data than an erasure');
    if (data.luid !== luid) fault('history', 'says that another record is erased');
    if (data.change !== change - 1) fault('history', `says that ${jsonText(data.change)} changes are erased`);
    if (hashOf(data, suite) !== hash) fault('hash', 'has another hash than its data');
    for (const [index, proof] of meta.proofs.entries()) {
      if (!proofs.isValid(hash, proof)) fault('proof', `has a proof ${index + 1} that does not verify`);
      const defect = attributionDefect(keys, kind, proof);
      if (defect !== undefined) fault('signer', `has a proof ${index + 1} that ${defect}`);
    }
    const own = meta.proofs.at(-1);
    const isOwn = own !== undefined && authorOf(keys, own) === 'system' && own.custom?.luid === luid;
    if (!isOwn || own.custom?.status !== 'erased') fault('proof', 'has no proof of its ledger for the erasure');
    const asked = meta.proofs.slice(0, -1).filter((proof) => authorOf(keys, proof) === 'client');
    if (asked.some(({ custom }) => custom?.status !== undefined && custom.status !== 'erased'))
      fault('proof', 'has a proof of a client for another operation');
    const isBare = meta.status === 'erased' && meta.owners.length === 0 && meta.labels === undefined;
    if (!isBare || meta.moment !== own?.custom?.moment)
      fault('meta', 'has another status, moment, owner or label than an erasure');
  }
}

/** Whether a ledger writes the moment: the calendar has its day, and no database has a year 0. */
function isWritten(moment: string): boolean {
  const time = isMomentText(moment) && !moment.startsWith('0000') ? Date.parse(moment) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString() === moment;
}
