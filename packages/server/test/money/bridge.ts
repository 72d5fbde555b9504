import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hash as hashOf, type Json, type JsonObject, verifyProof } from '@countersign/protocol';
import { afterAll, beforeAll, expect } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { newKey, proofOver, systemKeyOf, type TestAnswer, type TestClient, type TestKey } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';

/** A call that a bridge was sent. */
export interface BridgeCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies of every shape
  readonly body: any;
}

/** What a call asks for: `prepare debits`, `commit credits`, `status`. */
export function verbOf({ method, path }: BridgeCall): string {
  if (method === 'PUT') return 'status';
  const [, side, , verb = 'prepare'] = path.split('/');
  return `${verb} ${side}`;
}

/**
 * A bridge that tests play: it keeps what it was sent and says what it is told to. Left alone, it answers 202, and reports
 * at once that all went well.
 */
export class PlayedBridge {
  readonly calls: BridgeCall[] = [];
  /** Answers in place of the 202; nothing is reported then. */
  instead: ((call: BridgeCall, response: ServerResponse) => void) | undefined;
  /** The status that a call is reported with; undefined to stay silent. */
  report: (call: BridgeCall) => JsonObject | undefined = reportWell;
  url = '';
  #client: TestClient | undefined;
  #base = '';
  readonly #server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { method = '', url = '', headers } = request;
    // What an earlier test has left under way is no matter of this one.
    if (!url.startsWith(this.#base)) return response.writeHead(202).end();
    const path = url.slice(this.#base.length);
    const call = { method, path, headers, text, body: text === '' ? undefined : JSON.parse(text) };
    this.calls.push(call);
    if (this.instead) return this.instead(call, response);
    response.writeHead(method === 'PUT' ? 200 : 202).end();
    const said = method === 'PUT' ? undefined : this.report(call);
    if (said) await this.say(call, said);
  });

  constructor(readonly key: TestKey = newKey()) {}

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  reset(): void {
    this.calls.length = 0;
    this.instead = undefined;
    this.report = reportWell;
  }

  /** Reports to that server from now on. */
  serves(client: TestClient): void {
    this.#client = client.as(this.key);
  }

  /** Stores the bridge, and the signer that its reports are shown with. */
  async join(client: TestClient, handle: string, more: JsonObject = {}, config: JsonObject = {}): Promise<void> {
    this.#client = client.as(this.key);
    this.#base = `/${client.ledger}`;
    await stored(client, 'signer', { handle, public: this.key.public, format: 'ed25519-raw' });
    await stored(client, 'bridge', {
      ...{ handle, schema: 'rest', secure: [], config: { server: this.url + this.#base, ...config } },
      ...more,
    });
  }

  /** Reports of the entry that a call is about. */
  say({ body }: BridgeCall, custom: JsonObject): Promise<TestAnswer> {
    const { handle, intent } = body.data;
    return this.tell(intent.data.handle, intent.hash, { handle, ...custom });
  }

  /** Posts a proof on an intent. */
  async tell(intent: string, hash: string, custom: JsonObject): Promise<TestAnswer> {
    const answer = await this.#client!.call('POST', `/intents/${intent}/proofs`, proofOver(hash, this.key, custom));
    if (answer.status !== 200) throw new Error(answer.text);
    return answer;
  }

  /** Waits until it was sent these calls, in any order of calls that race. */
  until(...verbs: string[]): Promise<BridgeCall[]> {
    return eventually(async () => {
      expect(this.calls.map(verbOf).sort()).toEqual([...verbs].sort());
      return this.calls;
    });
  }

  /** The only call of that sort. */
  only(verb: string): BridgeCall {
    const [call, ...others] = this.calls.filter((one) => verbOf(one) === verb);
    if (!call || others.length > 0) throw new Error(`The bridge was sent ${others.length + (call ? 1 : 0)} ${verb}.`);
    return call;
  }
}

const ENDS: Readonly<Record<string, string>> = { prepare: 'prepared', commit: 'committed', abort: 'aborted' };

export function reportWell(call: BridgeCall): JsonObject {
  return { status: ENDS[verbOf(call).split(' ')[0]!]!, coreId: 'tx-1' };
}

/** A failure that a bridge reports of what it is to prepare. */
export const REFUSED = { status: 'failed', reason: 'bridge.account-inactive', detail: 'Account is inactive' };

/** Checks that the ledger has signed a body, with a bare moment, and gives its data. */
export function verifiedData(client: TestClient, { body }: BridgeCall): JsonObject {
  expect(Object.keys(body)).toEqual(['hash', 'data', 'meta']);
  expect(hashOf(body.data as Json, native)).toBe(body.hash);
  expect(body.meta.proofs).toHaveLength(1);
  const [proof] = body.meta.proofs;
  expect(proof).toMatchObject({
    public: systemKeyOf(client),
    signer: 'system',
    custom: { moment: expect.any(String) },
  });
  expect(Object.keys(proof.custom)).toEqual(['moment']);
  expect(verifyProof(body.hash, proof, native)).toBe(true);
  return body.data;
}

/** Bridges for the tests of a file. */
export function withBridges<Names extends string>(...names: Names[]): Record<Names, PlayedBridge> {
  const bridges = Object.fromEntries(names.map((name) => [name, new PlayedBridge()])) as Record<Names, PlayedBridge>;
  const all = Object.values<PlayedBridge>(bridges);
  beforeAll(async () => {
    for (const bridge of all) await bridge.start();
  });
  afterAll(() => {
    for (const bridge of all) bridge.stop();
  });
  return bridges;
}
