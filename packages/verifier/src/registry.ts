import type { StoredProof } from '@countersign/protocol';
import type { Place, Report } from './finding.js';
import { authorOf, type LedgerKeys } from './keys.js';
import { keyOf, kindFacts } from './kinds.js';
import type { HeaderLine } from './lines.js';
import type { Version } from './version.js';

/** Characters of a digest and of a key that tell a proof from all others of a ledger. */
const DIGEST = 24;
const PUBLIC = 8;

/**
 * What records say of one another: whose key is whose, which proof belongs to which record, who has a handle. It keeps a
 * few words of each record and of each proof of a client, so it takes about 200 bytes of memory for a change.
 */
export class Registry {
  /** Records that have begun: the moment of their first version. */
  readonly #born = new Map<string, string>();
  readonly #used = new Map<string, string>();
  readonly #living = new Map<string, string>();
  readonly #domains = new Set<string>();
  /** Domains that records are in, with the first place of each. */
  readonly #inDomain = new Map<string, Place>();
  /** Pairs of key and signer, of records and of proofs. */
  readonly #registered = new Set<string>();
  readonly #named = new Map<string, Place>();
  readonly #signers = new Set<string>();
  readonly #namedSigners = new Map<string, Place>();
  /** Domains of records that others lie under: `kind handle domain`. */
  readonly #places = new Set<string>();
  readonly #under = new Map<string, Place>();
  #hasLedger = false;
  /** A key may have been that of a signer by a record that is erased. */
  #hasErasedKeys = false;
  readonly #own = new Map<string, string>();

  constructor(
    private readonly keys: LedgerKeys,
    private readonly claimed: Pick<HeaderLine, 'ledger'>,
    private readonly report: Report,
  ) {}

  /** @returns whether the record is new */
  begin(_kind: string, luid: string): boolean {
    if (this.#born.has(luid)) return false;
    this.#born.set(luid, '');
    return true;
  }

  /** A record whose texts are erased. */
  addErased(kind: string): void {
    if (kind === 'signer-factor') this.#hasErasedKeys = true;
  }

  /** The change that says so: it keeps the domain. */
  addErasure({ kind, luid, change, record }: Version): void {
    const { domain } = record.meta;
    if (domain !== undefined) note(this.#inDomain, domain, { kind, luid, change });
  }

  has(luid: string): boolean {
    return this.#born.has(luid);
  }

  bornAt(luid: string): string | undefined {
    return this.#born.get(luid) || undefined;
  }

  addVersion(version: Version): void {
    const { kind, luid, change, record } = version;
    const { data, meta } = record;
    if (change === 1) this.#born.set(luid, meta.moment);
    const handle = String(data.handle);
    const place = { kind, luid, change };
    if (kind === 'ledger') this.#addLedger(version);
    if (kind === 'signer') this.#addSigner(version, handle);
    if (kind === 'signer-factor' && data.schema === 'key-pair') this.#registered.add(`${data.public} ${data.signer}`);
    if (kind === 'domain') this.#domains.add(handle);
    const { domain } = meta;
    if (kind === 'signer' || kind === 'circle') this.#places.add(`${kind} ${handle} ${domain ?? ''}`);
    if (domain !== undefined) note(this.#inDomain, domain, place);
    const above = kindFacts(kind)?.domainOf;
    if (above) note(this.#under, `${above.kind} ${data[above.member]} ${domain ?? ''}`, place);
  }

  addProofs({ kind, luid, change }: Version, added: readonly StoredProof[]): void {
    const place = { kind, luid, change };
    for (const proof of added) {
      const author = authorOf(this.keys, proof);
      if (author === 'auth') {
        for (const name of [proof.signer, proof.issuer]) if (name !== undefined) note(this.#namedSigners, name, place);
      }
      if (author !== 'client') continue;
      if (proof.signer !== undefined) note(this.#named, `${proof.public} ${proof.signer}`, place);
      const use = proof.digest.slice(0, DIGEST) + proof.public.slice(0, PUBLIC);
      const other = this.#used.get(use);
      if (other === undefined) this.#used.set(use, luid);
      else if (other !== luid) this.report(place, 'ledger', `has a proof that was used for ${other}`);
    }
  }

  /** A record that has not been dropped. */
  live({ kind, luid, change, record }: Version): void {
    const key = `${kind} ${keyOf(kind, record.data)}`;
    const other = this.#living.get(key);
    if (other !== undefined) this.report({ kind, luid, change }, 'ledger', `has the handle of ${other}`);
    this.#living.set(key, luid);
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
    const unknown = [...this.#named].filter(([pair]) => !this.#registered.has(pair));
    const strangers = [...this.#namedSigners].filter(([name]) => !this.#signers.has(name));
    if (!isWhole) return unknown.length + strangers.length;
    for (const [pair, place] of this.#hasErasedKeys ? [] : unknown) {
      const [key, signer] = pair.split(' ');
      this.report(place, 'signer', `has a proof that names ${signer}, who never had the key ${key}`);
    }
    for (const [name, place] of strangers) this.report(place, 'signer', `has a proof for ${name}, who is no signer`);
    for (const [domain, place] of this.#inDomain)
      if (!this.#domains.has(domain)) this.report(place, 'meta', `is in the domain ${domain}, which there is not`);
    for (const [under, place] of this.#under)
      if (!this.#places.has(under))
        this.report(place, 'meta', `is not in the domain of the record it lies under: there is no ${under}`);
    return this.#hasErasedKeys ? unknown.length : 0;
  }

  #addLedger({ luid, change, record }: Version): void {
    const { ledger } = this.claimed;
    this.#hasLedger = true;
    const place = { kind: 'ledger', luid, change };
    if (luid !== ledger.luid) this.report(place, 'ledger', `is another ledger than ${ledger.luid}`);
    if (record.data.handle !== ledger.handle) this.report(place, 'ledger', `is called otherwise than ${ledger.handle}`);
  }

  #addSigner({ record }: Version, handle: string): void {
    const key = String(record.data.public);
    this.#registered.add(`${key} ${handle}`);
    this.#signers.add(handle);
    if (handle.startsWith('system') || handle === 'core') this.#own.set(handle, key);
  }
}

function note(map: Map<string, Place>, key: string, place: Place): void {
  if (!map.has(key)) map.set(key, place);
}
