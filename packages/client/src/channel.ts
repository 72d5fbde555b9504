import type { StoredProof } from '@countersign/protocol';
import { decodeHex, encodeBase64, readJson } from '@countersign/protocol';
import { canonical } from './canonical.js';
import type { Cryptography } from './cryptography.js';
import { type Environment, environmentOf } from './environment.js';
import { AnswerError, Refusal, UnreachableError } from './errors.js';
import type { RecordName } from './generated/kinds.js';
import type { Signer } from './keys.js';
import type { ConnectOptions, ListOptions, ReadOptions, SignedRequest, WriteOptions } from './options.js';
import { makePages, type Pages, queryOf } from './pages.js';
import type { Signed } from './shape.js';
import { Tokens } from './token.js';
import { type ParsedAnswer, Transport, type TransportCall } from './transport.js';
import { Trust } from './trust.js';
import { AnswerVerifier, type KnownBefore, type WantedRecord } from './verify.js';

/** A write before it is signed. */
export interface UnsignedWrite {
  readonly record: RecordName;
  readonly operation: SignedRequest['operation'];
  readonly path: string;
  readonly data: Record<string, unknown>;
  /** The version that it changes; of an erasure the luid is enough. */
  readonly current?: (Pick<Signed, 'luid'> & Partial<Signed>) | undefined;
}

/** What the proof of a write says that it makes of the record. */
const STATUS_OF_OPERATION: Partial<Record<UnsignedWrite['operation'], object>> = {
  drop: { status: 'dropped' },
  erase: { status: 'erased' },
};

/** What is sent as the body of a write. That of a proof is the proof. */
interface Body extends Partial<StoredProof> {
  readonly hash?: string;
  readonly data?: Record<string, unknown>;
  readonly meta?: { readonly proofs: readonly Partial<StoredProof>[] };
}

/** One client of one ledger: signs what it writes, and verifies what it reads. */
export class Channel {
  readonly environment: Environment;
  readonly trust: Trust;
  readonly verifier: AnswerVerifier;
  readonly #transport: Transport;

  constructor(options: ConnectOptions) {
    this.environment = environmentOf(options);
    this.trust = new Trust(this.environment);
    this.verifier = new AnswerVerifier(this.trust, this.environment);
    this.#transport = new Transport(this.environment, new Tokens(this.environment));
  }

  /** @throws Refusal, AnswerError, UnreachableError */
  async ask(call: TransportCall, before: KnownBefore): Promise<ParsedAnswer> {
    const { ledger, onHint } = this.environment.options;
    const isOutside = ledger === undefined || /^\/ledgers\b/.test(call.path);
    const answer = await this.#transport.send({ ...call, isOutside });
    const { status, body } = answer;
    if (status < 300) {
      const hint = answer.response.headers.get('x-hint');
      if (hint !== null) onHint?.(hint);
      return answer;
    }
    if (body === undefined)
      throw new UnreachableError(`${this.environment.options.server}${call.path} has no answer`, status);
    const refusal = await this.verifier.refusal(body, status, before, isOutside);
    refusal.mayBeDone = answer.isRepeat || (call.method !== 'GET' && leavesInDoubt(refusal));
    refusal.path = call.path;
    if (answer.ordered !== undefined) refusal.retryAfter = Math.ceil(answer.ordered / 1000);
    throw refusal;
  }

  /** A record that is there. */
  async read(path: string, expected: WantedRecord, options: ReadOptions = {}): Promise<Signed> {
    const before = this.verifier.before(expected.record, expected.id);
    const { body } = await this.ask({ method: 'GET', path, signal: options.signal }, before);
    return this.verifier.record(body, expected, before);
  }

  /** Signs a write and sends it. */
  async write(write: UnsignedWrite, options: WriteOptions): Promise<unknown> {
    const { record, operation, path, current } = write;
    const body = canonical(await this.#signed(write, options));
    const request = { record, operation, path, body, ...(current ? { luid: current.luid } : {}) };
    await options.onSigned?.(request);
    return this.#send(request, options, false);
  }

  /** Sends a signed request that may have been sent before, and verifies what comes of it. */
  resend(request: SignedRequest, options: ReadOptions = {}): Promise<unknown> {
    return this.#send(request, options, true);
  }

  /** The pages of a list. */
  pages<Item>(
    record: RecordName,
    path: string,
    { signal, ...options }: ListOptions<string>,
    judge: (value: unknown, before: KnownBefore) => Promise<Item>,
  ): Pages<Item> {
    return makePages(async (index) => {
      const before = this.verifier.before(record);
      const { body } = await this.ask({ method: 'GET', path: path + queryOf(options, index), signal }, before);
      const { data, page } = await this.verifier.list(body, before, path === '/ledgers');
      if (page?.index !== index) throw new AnswerError('record', `The page is not ${index}`);
      return { items: await Promise.all(data.map((one) => judge(one, before))), ...page };
    });
  }

  /** The versions of the record at a path. */
  history(path: string, expected: WantedRecord, options: ListOptions<string>): Pages<Signed> {
    return this.pages(expected.record, `${path}/changes`, options, (value, before) =>
      this.verifier.record(value, { ...expected, isVersion: true }, before),
    );
  }

  async #send(request: SignedRequest, { signal }: ReadOptions, isRepeat: boolean): Promise<unknown> {
    const { record, operation, path, luid, body } = request;
    const before = this.verifier.before(record, luid);
    try {
      const method = operation === 'update' ? 'PUT' : 'POST';
      const answer = await this.ask({ method, path, body, signal }, before);
      if (operation === 'drop' || operation === 'retry') return undefined;
      if (operation === 'check' || operation === 'lookup') {
        const list = await this.verifier.list(answer.body, before);
        if (operation === 'check') await Promise.all(list.data.map((one) => this.verifier.item(one)));
        return list;
      }
      const isOutside = /^\/ledgers\b/.test(path);
      // What an erasure leaves is no record that could be read, or grow old.
      const isVersion = operation === 'erase';
      const expected = { record, isOutside, isVersion, id: luid };
      const stored = await this.verifier.record(answer.body, expected, before);
      await this.#checkStored(stored, request, answer.status, signal);
      return stored;
    } catch (error) {
      if (error instanceof Refusal && (operation === 'check' || operation === 'lookup')) error.mayBeDone = false;
      else if (error instanceof Refusal && (isRepeat || error.mayBeDone)) {
        const made = await this.#made(error, request, signal);
        if (made) return operation === 'drop' ? undefined : made;
      }
      if (error instanceof Refusal || error instanceof UnreachableError) error.request = request;
      throw error;
    }
  }

  /**
   * The version that an earlier attempt has made, where others have changed the record since: then the refusal is about
   * the repeat alone. Its history tells, except of what is left to a token: nothing of such a proof is kept.
   */
  async #made(refusal: Refusal, request: SignedRequest, signal?: AbortSignal): Promise<Signed | undefined> {
    const { record, operation, path, luid, body } = request;
    const { data } = readJson(body) as Body;
    const digests = proofsIn(body).map(({ digest }) => digest);
    refusal.mayBeDone = true;
    if (luid === undefined || digests.includes(undefined)) return undefined;
    const item = operation === 'update' ? path : path.slice(0, path.lastIndexOf('/'));
    let made: Signed | undefined;
    try {
      for await (const version of this.history(item, { record, id: luid }, { signal })) {
        if (hasAll(version, digests)) made = version;
        // The newest come first, and what it was made from comes after it.
        else if (made || version.hash === data?.parent) break;
      }
    } catch (error) {
      if (error instanceof UnreachableError) error.request = request;
      if (error instanceof Refusal) return undefined;
      throw error;
    }
    // Where it is not there yet, it may still be under way.
    refusal.mayBeDone = made === undefined && leavesInDoubt(refusal);
    return made;
  }

  /** @throws AnswerError `record` unless the record came from the very request that was sent */
  async #checkStored(
    stored: Signed,
    { record, operation, path, body }: SignedRequest,
    status: number,
    signal?: AbortSignal,
  ): Promise<void> {
    const sent = readJson(body) as Body;
    const digests = proofsIn(body).flatMap(({ digest }) => digest ?? []);
    if ((sent.hash === undefined || sent.hash === stored.hash) && hasAll(stored, digests)) return;
    // It is done once: whoever comes later is answered with what the first has said.
    if (operation === 'erase' && stored.data.luid === sent.data?.luid && stored.meta.status === 'erased') return;
    // A report that has the status already is left as it is.
    if (operation === 'sign' && record === 'report' && stored.meta.status === sent.custom?.status) return;
    if (operation === 'create' && (await this.#isCompleted(stored, sent))) return;
    if (operation === 'create' && status === 200) {
      // The answer to an earlier attempt was lost, and the record has changed since.
      const first = `${path}/${encodeURIComponent(stored.luid)}/changes/1`;
      const version = await this.read(first, { record, id: stored.luid, isVersion: true }, { signal });
      if (hasAll(version, digests)) return;
    }
    throw new AnswerError('record', `${stored.luid} is not what was sent`);
  }

  /** Whether the ledger has added what it makes of client credentials (interface/signers#client-credentials). */
  async #isCompleted({ data }: Signed, { data: sent = {}, hash }: Body): Promise<boolean> {
    const { clientId, clientSecret, ...others } = data;
    if (sent.schema !== 'oauth-client-credentials' || sent.clientId || !clientId) return false;
    return (await this.environment.cryptography.hash(others)) === hash;
  }

  async #signed(write: UnsignedWrite, options: WriteOptions): Promise<object> {
    const { record, operation, path, data, current } = write;
    const { custom, secret, cosigners = [] } = options;
    const { cryptography } = this.environment;
    const { signer, ledger } = this.environment.options;
    const hash = (operation === 'sign' && current?.hash) || (await cryptography.hash(data));
    const said = {
      moment: new Date(this.environment.now()).toISOString(),
      ledger: ledger ?? (record === 'ledger' ? data.handle : undefined),
      record,
      // Two writes of one key in one millisecond are two: the ledger takes the same signature for the same request.
      nonce: encodeBase64(crypto.getRandomValues(new Uint8Array(9))),
      ...STATUS_OF_OPERATION[operation],
      ...custom,
    };
    // Without a signer the ledger signs for whom the token stands for.
    const own = await signer;
    const signers = [...(own ? [own] : []), ...cosigners];
    await options.onSigning?.({
      record,
      operation,
      path,
      data: canonical(operation === 'sign' ? (current?.data ?? data) : data),
      hash,
      custom: canonical(said),
      digest: await cryptography.digest(hash, said),
      keys: signers.map((one) => one.public),
    });
    const proofs = await Promise.all(signers.map((one) => makeProof(cryptography, hash, said, one)));
    if (proofs.length === 0) proofs.push({ custom: said });
    if (operation === 'sign') return proofs[0] as object;
    const isOf = operation === 'update' || operation === 'drop';
    return {
      hash,
      data,
      meta: { proofs, ...(secret ? { secret } : {}) },
      ...(isOf && current ? { luid: current.luid } : {}),
    };
  }
}

/** Statuses by which proxies, or the server, give up on a request that may have been done, or may still be under way. */
const STATUSES_IN_DOUBT = [408, 502, 503, 504];

/** How the detail of a refusal begins that comes before anything is written. */
const READ_ONLY = /^The operator has made the server read-only: /;

/** Whether a write that was answered so may have been done. */
function leavesInDoubt({ status, isSigned, detail }: Refusal): boolean {
  return STATUSES_IN_DOUBT.includes(status) && !(isSigned && READ_ONLY.test(detail));
}

/** The proofs that a body has, or is. */
function proofsIn(body: string): readonly Partial<StoredProof>[] {
  const sent = readJson(body) as Body;
  return sent.meta?.proofs ?? [sent];
}

function hasAll({ meta }: Signed, digests: readonly (string | undefined)[]): boolean {
  return digests.every((digest) => meta.proofs.some((proof) => proof.digest === digest));
}

/** A proof over a hash (interface/envelope#hash-and-digest). */
async function makeProof(cryptography: Cryptography, hash: string, custom: object, signer: Signer): Promise<object> {
  const digest = await cryptography.digest(hash, custom);
  const result = encodeBase64(await signer.sign(decodeHex(digest) as Uint8Array));
  return { method: 'ed25519-v2', public: signer.public, digest, result, custom };
}
