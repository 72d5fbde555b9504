import type { StoredProof, Suite } from '@countersign/protocol';
import type { ReportFinding } from './finding.js';
import { jsonText } from './json/json-text.js';
import { Column } from './kept/column.js';
import type { Records } from './kept/records.js';
import { References } from './kept/references.js';
import { type TextNumbers, uniqueName } from './kept/text-numbers.js';
import { Uses } from './kept/uses.js';
import { authorOf, type LedgerKeys } from './keys.js';
import { kindFacts, uniqueKey } from './kinds.js';
import type { HeaderLine } from './lines.js';
import type { RecordVersion } from './version.js';

/** What is kept of all records, for the registry and others. */
export interface RegistryDeps {
  readonly records: Records;
  /** Of records of each kind. */
  readonly names: TextNumbers;
  readonly suite: Pick<Suite, 'sha256'>;
}

/**
 * What records say of one another: whose key is whose, which proof belongs to which record, who has a handle. It keeps
 * numbers and parts of hashes, so it takes about 70 bytes of memory for a record, and 32 for each proof of a client.
 */
export class Registry {
  readonly #records: Records;
  readonly #names: TextNumbers;
  readonly #uses: Uses;
  /** The living record of each name, and 1 more. */
  readonly #living = new Column('int32');
  /** Domains, and those that records are in. */
  readonly #domains: References;
  /** Pairs of key and signer, of records and of proofs. */
  readonly #keyed: References;
  readonly #signers: References;
  /** Domains of records that others lie under: `kind handle domain`. */
  readonly #places: References;
  #hasLedger = false;
  /** A key may have been that of a signer by a record that is erased. */
  #hasErasedKeys = false;
  readonly #own = new Map<string, string>();

  constructor(
    private readonly keys: LedgerKeys,
    private readonly claimed: Pick<HeaderLine, 'ledger'>,
    private readonly report: ReportFinding,
    { records, names, suite }: RegistryDeps,
  ) {
    this.#records = records;
    this.#names = names;
    this.#uses = new Uses(suite);
    this.#domains = new References(suite);
    this.#keyed = new References(suite);
    this.#signers = new References(suite);
    this.#places = new References(suite);
  }

  /** A record whose texts are erased. */
  addErased(kind: string): void {
    if (kind === 'signer-factor') this.#hasErasedKeys = true;
  }

  /** The change that says so: it keeps the domain. */
  addErasure({ kind, luid, change, record }: RecordVersion): void {
    const { domain } = record.meta;
    if (domain !== undefined) this.#domains.name(domain, { kind, luid, change });
  }

  addVersion(version: RecordVersion): void {
    const { kind, luid, change, record } = version;
    const { data, meta } = record;
    if (change === 1) this.#records.bear(luid, meta.moment);
    const handle = jsonText(data.handle);
    const place = { kind, luid, change };
    if (kind === 'ledger') this.#addLedger(version);
    if (kind === 'signer') this.#addSigner(version, handle);
    if (kind === 'signer-factor' && data.schema === 'key-pair')
      this.#keyed.add(`${jsonText(data.public)} ${jsonText(data.signer)}`);
    if (kind === 'domain') this.#domains.add(handle);
    const { domain } = meta;
    if (kind === 'signer' || kind === 'circle') this.#places.add(`${kind} ${handle} ${domain ?? ''}`);
    if (domain !== undefined) this.#domains.name(domain, place);
    const above = kindFacts(kind)?.domainOf;
    if (above) this.#places.name(`${above.kind} ${jsonText(data[above.member])} ${domain ?? ''}`, place);
  }

  /** @param added proofs that verify */
  addProofs({ kind, luid, change }: RecordVersion, added: readonly StoredProof[]): void {
    const place = { kind, luid, change };
    const record = this.#records.numberOf(luid);
    for (const proof of added) {
      const author = authorOf(this.keys, proof);
      if (author === 'auth') {
        for (const name of [proof.signer, proof.issuer]) if (name !== undefined) this.#signers.name(name, place);
      }
      if (author !== 'client') continue;
      if (proof.signer !== undefined) this.#keyed.name(`${proof.public} ${proof.signer}`, place);
      const other = this.#uses.use(proof, record);
      if (other !== record)
        this.report(place, 'ledger', `has a proof that was used for ${this.#records.luidOf(other)}`);
    }
  }

  /** A record that has not been dropped. */
  live({ kind, luid, change, record }: RecordVersion): void {
    const name = this.#names.put(uniqueName(kind, uniqueKey(kind, record.data)));
    const other = this.#living.get(name) - 1;
    if (other >= 0) this.report({ kind, luid, change }, 'ledger', `has the handle of ${this.#records.luidOf(other)}`);
    this.#living.set(name, this.#records.numberOf(luid) + 1);
  }

  /**
   * Compares what names others with what there is.
   *
   * @param isWhole whether all records were there
   * @returns the number of signers that could not be compared
   */
  end(isWhole: boolean): number {
    const { luid, handle } = this.claimed.ledger;
    if (!this.#hasLedger) this.report({ kind: 'ledger', luid }, 'ledger', `is ${handle}, and its record is not there`);
    for (const [name, key] of [
      ['system', this.keys.system],
      ['core', this.keys.core],
      ['system.auth', this.keys.auth],
    ] as const) {
      if (this.#own.get(name) !== key)
        this.report({ kind: 'ledger', luid }, 'ledger', `has no signer ${name} with the key ${key}`);
    }
    const unknown = this.#keyed.missing();
    const strangers = this.#signers.missing();
    if (!isWhole) return unknown.length + strangers.length;
    for (const [pair, place] of this.#hasErasedKeys ? [] : unknown) {
      const [key, signer] = pair.split(' ');
      this.report(place, 'signer', `has a proof that names ${signer}, who never had the key ${key}`);
    }
    for (const [name, place] of strangers) this.report(place, 'signer', `has a proof for ${name}, who is not a signer`);
    for (const [domain, place] of this.#domains.missing())
      this.report(place, 'meta', `is in the domain ${domain}, which does not exist`);
    for (const [under, place] of this.#places.missing())
      this.report(place, 'meta', `is not in the domain of the record it lies under: there is no ${under}`);
    return this.#hasErasedKeys ? unknown.length : 0;
  }

  #addLedger({ luid, change, record }: RecordVersion): void {
    const { ledger } = this.claimed;
    this.#hasLedger = true;
    const place = { kind: 'ledger', luid, change };
    if (luid !== ledger.luid) this.report(place, 'ledger', `is another ledger than ${ledger.luid}`);
    if (record.data.handle !== ledger.handle) this.report(place, 'ledger', `is not called ${ledger.handle}`);
  }

  #addSigner({ record }: RecordVersion, handle: string): void {
    const key = jsonText(record.data.public);
    this.#keyed.add(`${key} ${handle}`);
    this.#signers.add(handle);
    if (handle.startsWith('system') || handle === 'core') this.#own.set(handle, key);
  }
}
