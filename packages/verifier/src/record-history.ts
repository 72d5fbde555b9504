import { hash as hashOf, isObject, type RecordEnvelope, type StoredProof, type Suite } from '@countersign/protocol';
import { findAddedProofs, judgeAddedProofs, judgeCreate, judgeDrop, judgeUpdate, type ReportFault } from './changes.js';
import type { ReportFinding } from './finding.js';
import { isHashOfData } from './hashes.js';
import { IntentTrail } from './intent-trail.js';
import { jsonText } from './json/json-text.js';
import { isSameJson } from './json/same-json.js';
import { attributionDefect, type LedgerKeys } from './keys.js';
import { kindFacts } from './kinds.js';
import type { ProofCheck } from './proof-check.js';
import { formDefect, type RecordVersion } from './version.js';

/** What a history is verified with. */
export interface HistoryDeps {
  readonly keys: LedgerKeys;
  readonly suite: Suite;
  readonly proofs: ProofCheck;
  readonly report: ReportFinding;
}

/** The versions of one record, oldest first: each by itself, and as what follows from the one before. */
export class RecordHistory {
  #latest: RecordVersion | undefined;
  #isBroken = false;
  #trail: IntentTrail | undefined;

  constructor(
    private readonly deps: HistoryDeps,
    readonly kind: string,
    readonly luid: string,
  ) {}

  /** The newest version that was taken, of whatever form. */
  get latest(): RecordVersion | undefined {
    return this.#latest;
  }

  /** Of an intent. */
  get trail(): IntentTrail | undefined {
    return this.#trail;
  }

  /** @returns the proofs that the version adds to those that were seen; undefined where its form is not that of a record */
  add(version: RecordVersion): readonly StoredProof[] | undefined {
    const { report } = this.deps;
    const place = { kind: this.kind, luid: this.luid, change: version.change };
    const fault: ReportFault = (rule, detail) => report(place, rule, detail);
    const before = this.#latest;
    const number = (before?.change ?? 0) + 1;
    if (version.change !== number)
      fault('history', `follows change ${number - 1}: versions are missing, or not in order`);
    if (before?.action === 'drop') fault('history', 'follows the drop of its record');
    const facts = kindFacts(this.kind);
    if (!facts || !this.luid.startsWith(`$${facts.prefix}.`)) fault('form', 'has a luid of another kind of record');
    const defect = formDefect(version);
    if (defect !== undefined) {
      fault('form', defect);
      this.#isBroken = true;
      this.#latest = { ...version, record: salvageRecord(version) };
      return undefined;
    }
    if (before) shareProofs(before, version);
    this.#verify(version, fault);
    const added = this.#isBroken ? [] : this.#follow(before, version, fault);
    this.#latest = version;
    return added;
  }

  /** Hash and signatures. */
  #verify(version: RecordVersion, fault: ReportFault): void {
    const { suite, proofs, keys } = this.deps;
    const { record, action } = version;
    if (!isHashOfData(this.kind, record, suite)) fault('hash', 'has another hash than its data');
    const before = action === 'drop' ? (this.#latest?.record.meta.proofs.length ?? 0) : Number.POSITIVE_INFINITY;
    // The proofs of a drop are over the hash of what was dropped (interface/records#history).
    const dropped = action === 'drop' ? hashOf({ parent: record.hash }, suite) : '';
    for (const [index, proof] of record.meta.proofs.entries()) {
      const hash = index < before ? record.hash : dropped;
      if (!proofs.isValid(hash, proof)) fault('proof', `has a proof ${index + 1} that does not verify`);
      const defect = attributionDefect(keys, this.kind, proof);
      if (defect !== undefined) fault('signer', `has a proof ${index + 1} that ${defect}`);
    }
  }

  #follow(before: RecordVersion | undefined, version: RecordVersion, fault: ReportFault): readonly StoredProof[] {
    const { keys } = this.deps;
    const { record, action } = version;
    if (action === 'create' || !before) {
      if (action !== 'create')
        fault('history', `is a${action === 'drop' ? '' : 'n'} ${action}, and no change comes before it`);
      else judgeCreate(keys, version, fault);
      if (this.kind === 'intent') this.#trail = new IntentTrail(keys, record.data);
      return record.meta.proofs;
    }
    if (action === 'drop') judgeDrop(keys, before, version, fault);
    else if (record.hash !== before.record.hash) {
      judgeUpdate(keys, before, version, fault);
      if (this.kind === 'intent' || this.kind === 'report') fault('history', 'changes data that is fixed');
      return record.meta.proofs;
    } else judgeAddedProofs(keys, before, version, fault);
    if (this.kind === 'intent' && before.change === 1) this.#compareFirst(before, version);
    const added = findAddedProofs(before.record.meta, record.meta, () => {}) ?? [];
    if (action === 'update') this.#trail?.add(version.change, added, record.meta, fault);
    return added;
  }

  /** Nothing is signed of these: where the first two versions differ, either may be the altered one. */
  #compareFirst(first: RecordVersion, second: RecordVersion): void {
    const said = ({ record }: RecordVersion) => JSON.stringify([record.meta.thread, record.meta.domains]);
    if (said(first) === said(second)) return;
    const place = { kind: this.kind, luid: this.luid, change: first.change };
    this.deps.report(place, 'meta', "has another thread or other domains in 'meta' than the change after it");
  }
}

/** What can be made of a version whose form is not that of a record: what comes behind it is looked at all the same. */
function salvageRecord({ luid, record }: RecordVersion): RecordEnvelope {
  const { hash, data, meta } = isObject(record) ? (record as Partial<RecordEnvelope>) : {};
  const said = isObject(meta) ? (meta as Partial<RecordEnvelope['meta']>) : {};
  return {
    hash: jsonText(hash),
    data: isObject(data) ? data : {},
    luid,
    meta: { ...said, proofs: [], owners: [], moment: jsonText(said.moment) },
  };
}

/** Versions repeat the proofs of those before. Of each that is the same one is kept, since that is looked at again and again. */
function shareProofs(before: RecordVersion, { record }: RecordVersion): void {
  const was = before.record.meta.proofs;
  const { proofs } = record.meta;
  const shared = Math.min(was.length, proofs.length);
  for (let at = 0; at < shared; at += 1) if (isSameJson(was[at], proofs[at])) proofs[at] = was[at]!;
}
