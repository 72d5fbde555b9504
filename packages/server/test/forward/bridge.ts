import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import {
  hash as hashOf,
  type Json,
  type JsonObject,
  type Proof,
  type RecordEnvelope,
  readJson,
} from '@countersign/protocol';
import { afterAll, beforeAll } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { newKey, proofOver, type TestKey } from '../support/client.js';

/** A request that a bridge was sent. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies of every shape
  readonly body: any;
}

/** What it answers: a status and a body, or bytes of the test's own. */
export type Reply = { readonly status: number; readonly body?: Json } | ((response: ServerResponse) => void);

/** A service that keeps anchors and signs what it keeps, as a bridge does. */
export class TestBridge {
  readonly key: TestKey = newKey();
  readonly received: Received[] = [];
  /** By handle. */
  readonly records = new Map<string, RecordEnvelope>();
  /** Answers in its place, until it is taken away. */
  instead: ((received: Received) => Reply | Promise<Reply>) | undefined;
  #server: Server | undefined;
  url = '';

  async start(): Promise<void> {
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  /** Forgets everything. */
  reset(): void {
    this.received.length = 0;
    this.records.clear();
    this.instead = undefined;
  }

  /** What it was sent; there must have been exactly one request. */
  get only(): Received {
    const [first, ...others] = this.received;
    if (!first || others.length > 0) throw new Error(`The bridge was sent ${this.received.length} requests.`);
    return first;
  }

  /** A record with a proof of the bridge's. */
  sealed(record: JsonObject, custom: JsonObject = { status: 'created' }): RecordEnvelope {
    const { hash, data, luid, meta } = record as unknown as RecordEnvelope;
    const proofs = [...meta.proofs, proofOver(hash, this.key, custom)];
    return { hash, data, luid, meta: { ...meta, proofs } };
  }

  /** Puts an anchor there that the ledger does not know of, signed by a client. */
  keep(data: JsonObject, client: TestKey = newKey()): RecordEnvelope {
    const hash = hashOf(data, native);
    const luid = `$anc.-bridge${String(this.records.size).padStart(10, '0')}`;
    const made = { hash, data, luid, meta: { proofs: [proofOver(hash, client, { status: 'created' })] } };
    const record = this.sealed(made as unknown as JsonObject);
    this.records.set(String(data.handle), record);
    return record;
  }

  /** A signed error. */
  refusal(status: number, data: JsonObject): Reply {
    const hash = hashOf(data, native);
    return {
      status,
      body: { hash, data, meta: { proofs: [proofOver(hash, this.key)], moment: new Date().toISOString() } },
    };
  }

  /** A signed list of what it has. */
  list(records: readonly RecordEnvelope[] = [...this.records.values()]): JsonObject {
    const data = records as unknown as Json[];
    const hash = hashOf(data, native);
    return { hash, data, meta: { proofs: [proofOver(hash, this.key)] } };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const received = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: text === '' ? undefined : readJson(text),
    };
    this.received.push(received);
    const reply = await (this.instead ?? ((one) => this.behave(one)))(received);
    if (typeof reply === 'function') return reply(response);
    const body = reply.body === undefined ? '' : JSON.stringify(reply.body);
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(body);
  }

  /** What a bridge does with what it is sent. */
  behave({ method, url, body }: Received): Reply {
    const [, , , handle = '', proofs] = url.split('/');
    const record = this.records.get(handle);
    if (handle !== '' && !record && method !== 'PUT') {
      return this.refusal(404, { reason: 'record.not-found', detail: 'Anchor not found' });
    }
    if (method === 'GET') return { status: 200, body: (record ?? this.list()) as unknown as Json };
    if (method === 'DELETE') {
      this.records.delete(handle);
      return { status: 204 };
    }
    const kept = proofs
      ? this.#proved(record!, body)
      : this.sealed(body, method === 'PUT' ? {} : { status: 'created' });
    this.records.set(String(kept.data.handle), kept);
    return { status: method === 'POST' && !proofs ? 201 : 200, body: kept as unknown as Json };
  }

  #proved(record: RecordEnvelope, proof: Proof): RecordEnvelope {
    return { ...record, meta: { ...record.meta, proofs: [...record.meta.proofs, proof] } };
  }
}

/** A bridge for the tests of a file. */
export function withBridge(): TestBridge {
  const bridge = new TestBridge();
  beforeAll(() => bridge.start());
  afterAll(() => bridge.stop());
  return bridge;
}
