import { randomBytes } from 'node:crypto';
import {
  encodeBase64,
  hash as hashOf,
  type Json,
  type JsonObject,
  type Proof,
  type RecordEnvelope,
  readJson,
  signProof,
} from '@countersign/protocol';
import { native } from '../../src/auth/native-suite.js';
import { sendHttp } from './http.js';
import { signingMoment } from './signing-clock.js';

/** A key pair of a client. */
export interface TestKey {
  readonly public: string;
  readonly secret: Uint8Array;
}

export function newKey(): TestKey {
  const secret = randomBytes(32);
  return { secret, public: encodeBase64(native.publicKey(secret)) };
}

/** An answer as it came: nothing is thrown for errors, tests look at them. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; null when there is none or it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
  readonly body: any;
}

export function proofOver(hash: string, key: TestKey, custom: JsonObject = {}): Proof {
  return signProof({ hash, custom: { moment: signingMoment(), ...custom }, ...key }, native);
}

/** A signed write: `{hash, data, meta: {proofs}}`, and what else is given. */
export function signed(
  data: JsonObject,
  key: TestKey,
  custom: JsonObject = { status: 'created' },
  more: JsonObject = {},
) {
  const hash = hashOf(data, native);
  return { ...more, hash, data, meta: { proofs: [proofOver(hash, key, custom)] } };
}

/** The body of an update of `record` to `data`. */
export function updateOf(record: RecordEnvelope, data: JsonObject, key: TestKey) {
  return signed({ ...data, parent: record.hash }, key, {}, { luid: record.luid });
}

/** The body of a drop of `record`. */
export function dropOf(record: RecordEnvelope, key: TestKey, reason?: string) {
  const custom = { status: 'dropped', ...(reason === undefined ? {} : { reason }) };
  return signed({ parent: record.hash }, key, custom, { luid: record.luid });
}

/** Speaks to one ledger of one server, with one key. */
export class TestClient {
  constructor(
    readonly url: string,
    readonly key: TestKey = newKey(),
    readonly ledger?: string,
  ) {}

  /** The same server and ledger, seen by another key. */
  as(key: TestKey): TestClient {
    return new TestClient(this.url, key, this.ledger);
  }

  /** The same server and key in another ledger, or outside all. */
  in(ledger: string | undefined): TestClient {
    return new TestClient(this.url, this.key, ledger);
  }

  /** The same key and ledger, through another server. */
  at(url: string): TestClient {
    return new TestClient(url, this.key, this.ledger);
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<TestAnswer> {
    const sent = {
      ...(this.ledger === undefined ? {} : { 'x-ledger': this.ledger }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await sendHttp(this.url + path, method, sent, text);
    return { ...answer, body: parsed(answer.text) };
  }

  get(path: string, headers?: Record<string, string>): Promise<TestAnswer> {
    return this.call('GET', path, undefined, headers);
  }

  /** A signed create on a collection's path. */
  create(path: string, data: JsonObject, custom?: JsonObject): Promise<TestAnswer> {
    return this.call('POST', path, signed(data, this.key, custom));
  }

  update(path: string, record: RecordEnvelope, data: JsonObject): Promise<TestAnswer> {
    return this.call('PUT', path, updateOf(record, data, this.key));
  }

  /** A flat proof over the record's hash, on the record's path. */
  prove(path: string, record: RecordEnvelope, custom: JsonObject): Promise<TestAnswer> {
    return this.call('POST', `${path}/proofs`, proofOver(record.hash, this.key, custom));
  }

  drop(path: string, record: RecordEnvelope, reason?: string): Promise<TestAnswer> {
    return this.call('DELETE', path, dropOf(record, this.key, reason));
  }
}

/** Rules under which everyone may do everything. */
export const OPEN: Json[] = [{ action: 'any', record: 'any' }];

let made = 0;

/** Public key of the `system` signer of each ledger made here, by handle. */
const systemKeys = new Map<string, string>();

/** The key that signs what the client's ledger answers. */
export function systemKeyOf({ ledger = '' }: TestClient): string {
  const key = systemKeys.get(ledger);
  if (key === undefined) throw new Error(`No ledger ${ledger} was made by these tests.`);
  return key;
}

/** Takes note of who signs for a ledger, given its record: the proof that closes it is its own. */
export function noteLedger({ data, meta }: RecordEnvelope): void {
  systemKeys.set(String(data.handle), meta.proofs.at(-1)?.public ?? '');
}

/** A new ledger, open to everyone unless rules are given, and a client for it. */
export async function newLedger(
  url: string,
  options: { key?: TestKey; access?: Json[]; config?: JsonObject } = {},
): Promise<TestClient> {
  made += 1;
  const handle = `ledger-${process.pid}-${made}-${randomBytes(4).toString('hex')}`;
  const client = new TestClient(url, options.key ?? newKey());
  const answer = await client.create('/ledgers', {
    handle,
    signer: 'system',
    access: options.access ?? OPEN,
    ...(options.config ? { config: options.config } : {}),
  });
  if (answer.status !== 201) throw new Error(`The ledger was not made: ${answer.text}`);
  noteLedger(answer.body);
  return client.in(handle);
}

function parsed(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return null;
  }
}
