import { hash as hashOf, readJson, type StoredProof, type Suite } from '@countersign/protocol';
import { BookReplay } from './books.js';
import { deliveryDefect } from './delivery-line.js';
import { TakenNames } from './erased/taken-names.js';
import { ErasedRecord } from './erasure.js';
import type { Finding, FindingRule, ReportFinding } from './finding.js';
import { jsonText } from './json/json-text.js';
import { momentNumber } from './kept/moment.js';
import { Records } from './kept/records.js';
import { TextNumbers } from './kept/text-numbers.js';
import { authorOf, type LedgerKeys } from './keys.js';
import type { ChangeLine, CurrentLine, ErasedLine, HeaderLine, LeafLine, Line, StateLine } from './lines.js';
import { movementsOfIntent } from './movements.js';
import { openDefect, type UnderWay } from './open-line.js';
import { createProofCheck, type ProofCheck } from './proof-check.js';
import { type HistoryDeps, RecordHistory } from './record-history.js';
import { Registry } from './registry.js';
import { type Summary, summarize } from './summary.js';
import type { RecordVersion } from './version.js';
import type { VerifySigned } from './wallet-limits.js';

export interface VerifierOptions {
  readonly suite: Suite;
  /** The ledger and its keys, as the source claims them: the records must say the same. */
  readonly ledger: Pick<HeaderLine, 'ledger' | 'keys' | 'scope' | 'secrets'>;
  /** The ledger's key as it is known beforehand, base64. */
  readonly pinned?: string;
  /** Whether all records that were not dropped are there, though the scope is what a client may read: balances count then. */
  readonly isComplete?: boolean;
  /** Whether an export is verified, whose log tells what was left out. */
  readonly isFile?: boolean;
  /** Takes each finding as it is made. */
  readonly found: (finding: Finding) => void;
}

/**
 * Verifies a ledger from its records, in one pass: records in any order, the versions of each together and oldest first;
 * then balances, movements, limits. It has no I/O, and believes nothing that is not signed.
 */
export class LedgerVerifier {
  readonly #keys: LedgerKeys;
  readonly #proofs: ProofCheck;
  readonly #deps: HistoryDeps;
  readonly #records: Records;
  readonly #registry: Registry;
  readonly #books: BookReplay;
  readonly #report: ReportFinding;
  #history: RecordHistory | undefined;
  #current: CurrentLine | undefined;
  /** The record that is looked at, where its texts were erased. */
  #erased: ErasedRecord | undefined;
  #erasedChanges = 0;
  readonly #taken: TakenNames;
  readonly #failed = new Set<FindingRule>();
  #counts = { records: 0, changes: 0, intents: 0, balances: 0, limits: 0 };
  #unsigned = { moments: 0, requests: 0 };
  /** Intents under way, by luid. */
  readonly #open = new Map<string, UnderWay>();
  #setBack = 0;
  #stateLines = 0;
  #hasEntries = false;

  constructor(private readonly options: VerifierOptions) {
    const { ledger, suite, found, pinned } = options;
    this.#records = new Records(suite);
    this.#keys = { system: ledger.keys.system, core: ledger.keys.core, auth: ledger.keys['system.auth'] };
    this.#report = (place, rule, detail) => {
      this.#failed.add(rule);
      found({ ...place, rule, detail });
    };
    this.#proofs = createProofCheck(suite);
    this.#deps = { keys: this.#keys, suite, proofs: this.#proofs, report: this.#report };
    const deps = { records: this.#records, names: new TextNumbers(suite), suite };
    this.#registry = new Registry(this.#keys, ledger, this.#report, deps);
    this.#taken = new TakenNames(ledger.ledger.luid, ledger.secrets !== undefined, this.#report);
    const isSigned: VerifySigned = (hash, data, proofs) => this.#isSigned(hash, data, proofs);
    this.#books = new BookReplay(this.#keys, this.#report, isSigned, deps);
    if (pinned !== undefined && pinned !== this.#keys.system)
      this.#report(
        { luid: ledger.ledger.luid, kind: 'ledger' },
        'ledger',
        `has the key ${this.#keys.system}, and not ${pinned}`,
      );
  }

  /** Changes that were verified. */
  get changes(): number {
    return this.#counts.changes;
  }

  /** Takes a version of a record. */
  add(version: RecordVersion): void {
    if (version.action === 'erase') {
      this.#addErasure(version);
      return;
    }
    if (this.#history?.luid !== version.luid) {
      this.#begin(version);
      this.#history = new RecordHistory(this.#deps, version.kind, version.luid);
    }
    this.#counts.changes += 1;
    const before = this.#history.latest;
    const added = this.#history.add(version);
    if (!added) return;
    if (before && version.record.meta.moment < before.record.meta.moment) this.#setBack += 1;
    this.#addProofs(version, added);
    this.#registry.addVersion(version);
    this.#count(version, added);
  }

  /** Takes a line of an export other than the first and the last. */
  addLine(line: Exclude<Line, LeafLine>): void {
    if (line.line === 'change' && line.text === null) {
      this.#addErased(line);
      return;
    }
    if (line.line === 'change') {
      const version = parseVersion(line);
      if (version) {
        this.add(version);
        return;
      }
      this.#counts.changes += 1;
      this.#report(line, 'form', 'is not JSON');
      return;
    }
    if (line.line === 'current') {
      this.#takeCurrent(line);
      return;
    }
    this.endRecord();
    switch (line.line) {
      case 'balance':
        this.#counts.balances += 1;
        this.#books.addBalance(line);
        return;
      case 'entry':
        this.#hasEntries = true;
        this.#books.addEntry(line);
        return;
      case 'limit':
        this.#counts.limits += 1;
        this.#books.addLimit(line);
        return;
      default:
        this.#stateLines += 1;
        this.#takeState(line as StateLine);
    }
  }

  /** No proof is about what the server works with; what it will do must be what proofs tell, all the same. */
  #takeState(line: StateLine): void {
    if (line.line === 'open') {
      const luid = String(line.luid);
      const defect = openDefect(line, this.#open.get(luid), (wallet, handle) => this.#books.isWallet(wallet, handle));
      if (defect !== undefined) this.#report({ kind: 'intent', luid }, 'trail', defect);
    }
    if (line.line === 'taken') this.#taken.add(line);
    if (line.line === 'secret') this.#taken.addSecret(line);
    if (line.line === 'delivery') {
      const defect = deliveryDefect(line, (luid) => this.#records.numberOf(luid) >= 0);
      if (defect !== undefined) this.#report({ luid: `$evd.${line.handle}` }, 'form', defect);
    }
  }

  /** Ends the record whose versions were added last. */
  endRecord(): void {
    this.#erased?.end();
    this.#erased = undefined;
    const history = this.#history;
    const latest = history?.latest;
    if (!history || !latest) return;
    const { kind, luid, change, action } = latest;
    const current = this.#current;
    if (this.options.ledger.scope === 'everything') {
      if (action === 'drop' && current)
        this.#report(latest, 'history', 'is dropped, and the index still has the record');
      if (action !== 'drop' && !current)
        this.#report({ kind, luid }, 'history', 'is not dropped, and not in the index');
      if (current && current.change !== change)
        this.#report(latest, 'history', `is the newest, and the index says change ${current.change}`);
    }
    if (action !== 'drop') this.#registry.live(latest);
    if (kind === 'wallet' || kind === 'symbol') this.#addNamed(kind, history, latest);
    if (kind === 'intent') this.#addIntent(history, latest);
    this.#proofs.forget();
    this.#history = undefined;
    this.#current = undefined;
  }

  /** Ends the ledger. Findings that take all records are made now. */
  end(): Summary {
    this.endRecord();
    const { ledger, pinned } = this.options;
    const isWhole = ledger.scope === 'everything';
    const unknownSigners = this.#registry.end(isWhole);
    const hasMoney = isWhole || this.options.isComplete === true;
    if (hasMoney) this.#books.end(isWhole);
    this.#taken.end();
    return summarize({
      counts: { ...this.#counts, signatures: this.#proofs.verified, movements: this.#books.movements },
      isPinned: pinned !== undefined,
      systemKey: this.#keys.system,
      isWhole,
      isFile: this.options.isFile === true,
      hasEntries: this.#hasEntries,
      hasMoney,
      unsigned: this.#unsigned,
      openIntents: this.#open.size,
      setBack: this.#setBack,
      stateLines: this.#stateLines,
      unknownSigners,
      failed: this.#failed,
      outlived: this.#books.outlived,
      erased: {
        changes: this.#erasedChanges,
        names: this.#taken.count,
        wallets: this.#books.erased,
        intents: this.#books.erasedIntents.summary,
      },
    });
  }

  /** What does not verify is found, and counts for nothing: anyone can write it. */
  #addProofs(version: RecordVersion, proofs: readonly StoredProof[]): void {
    const sound = proofs.filter((proof) => this.#proofs.isKnown(proof));
    this.#registry.addProofs(version, sound);
  }

  #begin(place: { readonly kind: string; readonly luid: string; readonly change: number }): void {
    const { kind, luid, change } = place;
    this.endRecord();
    if (!this.#records.begin(luid))
      this.#report({ kind, luid, change }, 'history', 'comes apart from the other versions of its record');
    this.#counts.records += 1;
  }

  #addErased(line: ErasedLine): void {
    this.#erasureOf(line).add(line);
    this.#counts.changes += 1;
    this.#erasedChanges += 1;
  }

  #addErasure(version: RecordVersion): void {
    const proofs = this.#erasureOf(version).state(version, this.options.isFile === true);
    this.#counts.changes += 1;
    this.#books.erasedIntents.state(version.luid, version.change);
    if (proofs) {
      this.#addProofs(version, proofs);
      this.#registry.addErasure(version);
    }
    this.endRecord();
    this.#proofs.forget();
  }

  #erasureOf(one: ErasedLine | RecordVersion): ErasedRecord {
    const { kind, luid } = one;
    if (this.#erased?.luid === luid) return this.#erased;
    this.#begin(one);
    this.#registry.addErased(kind);
    this.#taken.noteErased(kind, luid);
    if (kind === 'wallet' || kind === 'symbol') this.#books.addErased(kind, luid);
    if (kind === 'intent') this.#books.erasedIntents.add(luid);
    const erasure = new ErasedRecord(this.#deps, kind, luid);
    this.#erased = erasure;
    return erasure;
  }

  #takeCurrent(line: CurrentLine): void {
    if (this.#history?.luid !== line.luid || this.#current) {
      this.#report(line, 'file', 'is named as current apart from its versions');
      return;
    }
    this.#current = line;
  }

  #count({ action, record, kind }: RecordVersion, added: readonly StoredProof[]): void {
    const { luid, meta } = record;
    const { proofs } = meta;
    const isProof = action === 'update' && added.length < proofs.length;
    const isSigned = added.some(({ custom }) => custom?.luid === luid && custom.moment === meta.moment);
    if (!isSigned && kind !== 'intent') this.#unsigned.moments += 1;
    const isByToken = added.some((proof) => proof.origin !== undefined && authorOf(this.#keys, proof) === 'auth');
    if (!isProof && isByToken) this.#unsigned.requests += 1;
  }

  #addNamed(kind: 'wallet' | 'symbol', { luid }: RecordHistory, { record, action }: RecordVersion): void {
    const { meta, data } = record;
    const from = this.#records.bornAt(this.#records.numberOf(luid)) || momentNumber(meta.moment);
    const until = action === 'drop' ? momentNumber(meta.moment) : undefined;
    this.#books.addNamed(kind, jsonText(data.handle), luid, { from, until });
  }

  #addIntent({ trail }: RecordHistory, latest: RecordVersion): void {
    this.#counts.intents += 1;
    if (!trail) return;
    if (!trail.isFinal) this.#open.set(latest.luid, { data: latest.record.data, resolved: trail.resolved });
    const { moved, limits } = movementsOfIntent(trail, latest);
    this.#books.addIntent(latest.luid, moved, limits);
  }

  #isSigned(hash: string, data: Parameters<typeof hashOf>[0], proofs: readonly StoredProof[]): boolean {
    const isSigned =
      hashOf(data, this.options.suite) === hash && proofs.every((proof) => this.#proofs.isValid(hash, proof));
    this.#proofs.forget();
    return isSigned;
  }
}

/** A line as a version; undefined where its text is no JSON. */
function parseVersion({ kind, luid, change, action, moment, hash, text }: ChangeLine): RecordVersion | undefined {
  try {
    return { kind, luid, change, action, moment, hash, text, record: readJson(text) as RecordVersion['record'] };
  } catch {
    return undefined;
  }
}
