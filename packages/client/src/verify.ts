import { readJson, type StoredProof } from '@countersign/protocol';
import { canonical } from './canonical.js';
import type { Environment } from './environment.js';
import { AnswerError, Refusal } from './errors.js';
import { KINDS, type RecordName } from './generated/kinds.js';
import { assertEnvelope, isObject, type Signed, type SignedList } from './shape.js';
import type { Trust } from './trust.js';

/** What a record must be beside genuine. */
export interface WantedRecord {
  readonly record: RecordName;
  /** The handle or luid that was asked for. */
  readonly id?: string;
  /** Whether it is a version in a history. */
  readonly isVersion?: boolean;
  /** Whether the ledger is another one, whose key is unknown. */
  readonly isOutside?: boolean;
}

/** Kinds whose handles may be changed (interface/envelope#handles). */
const RENAMED: readonly RecordName[] = ['effect', 'signer-factor'];

/** What was known when the request was sent. */
export type KnownBefore = ReturnType<AnswerVerifier['before']>;

/** Verifies answers (interface/hashes, interface/proofs). */
export class AnswerVerifier {
  readonly #trust: Trust;
  readonly #environment: Environment;

  constructor(trust: Trust, environment: Environment) {
    this.#trust = trust;
    this.#environment = environment;
  }

  /** To be called before a request is sent; `id` is the record it asks for. */
  before(record: RecordName, id?: string) {
    const names = id === undefined ? [] : [`${record} ${id}`];
    return { latest: this.#trust.latest, notes: this.#trust.notes, seen: this.#trust.known(names) };
  }

  /** A genuine record: its hash, its proofs, its name, the ledger's signature on it. */
  record(value: unknown, expected: WantedRecord, before: KnownBefore): Promise<Signed> {
    return blameAnswer(async () => {
      const record = assertEnvelope(value);
      const { luid, data, hash, meta } = record;
      const [prefix] = KINDS[expected.record];
      if (!isObject(data)) throw new AnswerError('form', 'The record has no data');
      await this.#checkHash(record, expected.record === 'domain' && meta.domain);
      const isDrop = expected.isVersion === true && meta.action === 'drop';
      // A trail ends with proofs over what a drop signs, behind those over the data.
      const hashes = isDrop ? [hash, await this.#hash({ parent: hash })] : [hash];
      await this.#trust.verifyProofs(meta.proofs, ...hashes);
      if (expected.isOutside) return record;
      const isName = isDrop ? isDropProof : isLuidProof;
      const byLedger = meta.proofs.findLast((proof) => isName(proof, luid) && this.#trust.isByLedger(proof));
      if (byLedger === undefined) {
        const { bridgeKeys = [] } = this.#environment.options;
        const isOfBridge = expected.record === 'anchor' && meta.proofs.some((one) => bridgeKeys.includes(one.public));
        if (!isOfBridge) throw new AnswerError('key', "The ledger's key has not signed the record");
      } else if (!String(luid).startsWith(`$${prefix}.`))
        throw new AnswerError('record', `${luid} is not a record of the kind ${expected.record}`);
      const names = [luid, data.handle ?? data.signer];
      // These may have had other names before.
      const isRenamed = expected.isVersion && RENAMED.includes(expected.record) && !expected.id?.startsWith('$');
      if (expected.id !== undefined && !isRenamed && !names.includes(expected.id)) {
        throw new AnswerError('record', `The answer is ${luid}, and not ${expected.id}`);
      }
      if (byLedger && !expected.isVersion) {
        const ids = [luid, ...(isString(data.handle) ? [data.handle] : [])];
        this.#trust.note(
          record,
          byLedger,
          ids.map((id) => `${expected.record} ${id}`),
          before.seen,
          before.notes,
        );
      }
      return record;
    });
  }

  /** Whether a text is that of a version which was verified: its data, and the proofs in their order. */
  isTextOf(text: string, version: Signed): boolean {
    try {
      const { luid, hash, data, meta } = assertEnvelope(readJson(text));
      const said = ({ proofs }: Signed['meta']) => canonical(proofs);
      return (
        luid === version.luid &&
        hash === version.hash &&
        canonical(data) === canonical(version.data) &&
        said(meta) === said(version.meta)
      );
    } catch {
      return false;
    }
  }

  /** What is hashed, and signed by nobody. */
  unsigned(value: unknown): Promise<void> {
    return blameAnswer(() => this.#checkHash(assertEnvelope(value)));
  }

  /** A genuine list, signed just now; what its items are is for the caller to see. */
  list(value: unknown, before: KnownBefore, isOutside = false): Promise<SignedList> {
    return blameAnswer(async () => {
      const list = assertEnvelope(value);
      if (!Array.isArray(list.data)) throw new AnswerError('form', 'The list has no items');
      await this.#checkHash(list);
      await this.#trust.verifyProofs(list.meta.proofs, list.hash);
      if (!isOutside) this.#checkSpoken(list.meta.proofs, before);
      return list;
    });
  }

  /** An item that the ledger has signed for one answer: a rule, a limit. */
  item(value: unknown): Promise<unknown> {
    return blameAnswer(async () => {
      const item = assertEnvelope(value);
      await this.#checkHash(item);
      await this.#trust.verifyProofs(item.meta.proofs, item.hash);
      if (!item.meta.proofs.some((one) => this.#trust.isByLedger(one))) {
        throw new AnswerError('key', "The ledger's key has not signed an item");
      }
      return value;
    });
  }

  /** A delivery: hashed without its nulls, and signed for each attempt; before the first by nobody. */
  delivery(value: unknown, id?: string): Promise<unknown> {
    return blameAnswer(async () => {
      const { data, hash, luid, meta } = assertEnvelope(value);
      const present = Object.fromEntries(Object.entries(data).filter(([, member]) => member !== null));
      await this.#checkHash({ hash, data: present });
      await this.#trust.verifyProofs(meta.proofs, hash);
      if (!meta.proofs.every((one) => this.#trust.isByLedger(one))) {
        throw new AnswerError('key', "The ledger's key has not signed the delivery");
      }
      if (id !== undefined && id !== luid && id !== present.handle) {
        throw new AnswerError('record', `The delivery is not ${id}`);
      }
      return value;
    });
  }

  /**
   * The refusal that an answer is. Only the ledger itself says that a record is missing or a caller has no right:
   * unsigned, these are refused, but for those of servers that know no such ledger or cannot answer.
   */
  async refusal(value: unknown, status: number, before: KnownBefore, isOutside: boolean): Promise<Refusal> {
    return blameAnswer(async () => {
      const { data, hash, meta } = assertEnvelope(value) as unknown as Signed;
      if (!isObject(data) || !isString(data.reason)) throw new AnswerError('form', 'The error has no reason');
      await this.#checkHash({ hash, data });
      const isSigned = meta.proofs.length > 0 && !isOutside;
      if (isSigned) {
        // A bridge that has refused has its own proofs before that of the ledger.
        await this.#trust.verifyProofs(meta.proofs, hash);
        this.#checkSpoken(meta.proofs, before);
      } else if (!isOutside && status < 500 && data.reason !== 'api.route-not-found') {
        throw new AnswerError('key', `Nobody has signed the refusal ${data.reason}`);
      }
      const refusal = { ...data, detail: String(data.detail) } as unknown as ConstructorParameters<typeof Refusal>[0];
      return new Refusal(refusal, status, isSigned);
    });
  }

  #hash(data: unknown): Promise<string> {
    return this.#environment.cryptography.hash(data);
  }

  /** The hash of the data as served, or without the domain of a subdomain, which the ledger adds (interface/hashes). */
  async #checkHash({ hash, data }: { readonly hash: string; readonly data: object }, domain?: unknown): Promise<void> {
    if ((await this.#hash(data)) === hash) return;
    const { domain: shown, ...others } = data as Record<string, unknown>;
    if (domain && shown === domain && (await this.#hash(others)) === hash) return;
    throw new AnswerError('hash', 'The hash is not that of the data');
  }

  /** What the ledger says about nothing but this answer has its moment alone. */
  #checkSpoken(proofs: readonly StoredProof[], before: KnownBefore): void {
    const spoken = proofs.findLast((one) => one.custom?.luid === undefined && this.#trust.isByLedger(one));
    if (spoken === undefined) throw new AnswerError('key', "The ledger's key has not signed the answer");
    this.#trust.checkMoment(spoken, before.latest);
  }
}

function isLuidProof({ custom }: StoredProof, luid: string): boolean {
  return isString(luid) && custom?.luid === luid;
}

function isDropProof({ custom }: StoredProof, luid: string): boolean {
  return isString(luid) && custom?.luid === luid && custom.status === 'dropped';
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** What an answer does to the verification itself is the answer's fault. */
async function blameAnswer<T>(judge: () => Promise<T>): Promise<T> {
  try {
    return await judge();
  } catch (error) {
    if (error instanceof AnswerError) throw error;
    throw new AnswerError('form', 'The answer cannot be verified', error);
  }
}
