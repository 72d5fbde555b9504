import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { afterAll, beforeAll } from 'vitest';
import { findBridge } from '../../src/bridges/bridge.js';
import { type BridgeCall, callBridge } from '../../src/bridges/call.js';
import { openSession } from '../../src/ledgers/session.js';
import type { OutboundAnswer } from '../../src/outbound/outbound.js';
import { newLedger, signed, type TestClient, updateOf } from '../support/client.js';
import type { RunningServer } from '../support/server.js';

/** A request that a token endpoint was sent. */
export interface TokenCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A token endpoint, which issues `token-1`, `token-2` and so on. */
export class TokenEndpoint {
  readonly received: TokenCall[] = [];
  /** `expires_in` of what it issues. */
  expires: number | string | null | undefined;
  /** Answers in its place, until it is reset. */
  instead: ((response: ServerResponse, call: TokenCall) => void) | undefined;
  /** What it issued, in order. */
  readonly issued: string[] = [];
  url = '';
  #server: Server | undefined;

  async start(): Promise<void> {
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as { port: number }).port}/token`;
  }

  stop(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  reset(): void {
    this.received.length = 0;
    this.issued.length = 0;
    this.expires = 3_600;
    this.instead = undefined;
  }

  /** Answers with a token. */
  issue(response: ServerResponse): void {
    const token = `token-${this.issued.length + 1}`;
    this.issued.push(token);
    const body = { access_token: token, token_type: 'Bearer', expires_in: this.expires };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '', headers } = request;
    const call = { method, url, headers, body };
    this.received.push(call);
    if (this.instead) this.instead(response, call);
    else this.issue(response);
  }
}

/** A token endpoint for the tests of a file. */
export function withTokenEndpoint(): TokenEndpoint {
  const endpoint = new TokenEndpoint();
  beforeAll(() => endpoint.start());
  afterAll(() => endpoint.stop());
  return endpoint;
}

/** Security rules with the values of their secrets. */
export interface Secure {
  readonly secure: readonly JsonObject[];
  readonly secret: JsonObject;
}

/** A rule `header`. */
export function header(key: string, value: string, name = 'apiKey'): Secure {
  return { secure: [{ schema: 'header', key, value: `{{ secret.${name} }}` }], secret: { [name]: value } };
}

/** A rule `oauth2`, with the secret `geheim`. */
export function oauth2(tokenUrl: string, more: JsonObject = {}): Secure {
  const rule = { schema: 'oauth2', clientId: 'ledger', clientSecret: '{{ secret.client }}', tokenUrl, ...more };
  return { secure: [rule], secret: { client: 'geheim' } };
}

/** A rule `mtls`. */
export function mtls({ certificate, key }: { certificate: string; key: string }): Secure {
  return {
    secure: [{ schema: 'mtls', public: certificate, secret: '{{ secret.privateKey }}' }],
    secret: { privateKey: key },
  };
}

/** Several rules, in order. */
export function rules(...parts: readonly Secure[]): Secure {
  return {
    secure: parts.flatMap(({ secure }) => secure),
    secret: Object.assign({}, ...parts.map(({ secret }) => secret)),
  };
}

/** A ledger with the bridge `bank`. */
export async function bridgedLedger(url: string, server: string, secure: Secure): Promise<TestClient> {
  const client = await newLedger(url);
  await makeBridge(client, 'bank', server, secure);
  return client;
}

/** The data of a bridge. */
function bridgeData(handle: string, server: string, { secure }: Secure, more: JsonObject = {}): JsonObject {
  return { handle, schema: 'rest', config: { server }, secure: [...secure], ...more };
}

export async function makeBridge(
  client: TestClient,
  handle: string,
  server: string,
  secure: Secure,
  more: JsonObject = {},
): Promise<RecordEnvelope> {
  const body = signed(bridgeData(handle, server, secure, more), client.key);
  return ok(client.call('POST', '/bridges', { ...body, meta: { ...body.meta, secret: secure.secret } }));
}

/** Updates the bridge `bank`. */
export async function changeBridge(client: TestClient, server: string, secure: Secure): Promise<RecordEnvelope> {
  const record = (await client.get('/bridges/bank')).body;
  const body = updateOf(record, bridgeData('bank', server, secure), client.key);
  return ok(client.call('PUT', '/bridges/bank', { ...body, meta: { ...body.meta, secret: secure.secret } }));
}

async function ok(answering: ReturnType<TestClient['call']>): Promise<RecordEnvelope> {
  const answer = await answering;
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.body;
}

/** Calls a bridge of a ledger as it is stored, with the service of a server, as a delivery does. */
export async function calling(
  { server: { service } }: RunningServer,
  client: TestClient,
  call: Partial<BridgeCall> = {},
  handle = 'bank',
): Promise<OutboundAnswer> {
  const ledger = await service.ledgers.resolve(client.ledger!);
  const current = await service.ledgers.renew(ledger, await service.store.ledgers.version(ledger.id));
  const bridge = await findBridge(openSession(service, current), handle);
  if (!bridge) throw new Error('There is no such bridge.');
  return callBridge(service, current, bridge, { ...DELIVERY, ...call });
}

const DELIVERY: BridgeCall = {
  method: 'POST',
  path: '/effects/e-1',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/plain, */*' },
  body: '{"hash":""}',
  within: 60_000,
};
