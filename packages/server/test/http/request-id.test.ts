import { Writable } from 'node:stream';
import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { requestLimits } from '../../src/http/request-limits.js';
import { withBridge } from '../forward/bridge.js';
import { anchor, aspect, forwardingLedger } from '../forward/scene.js';
import { newLedger, type TestClient } from '../support/client.js';
import { withOwnServer, withServer } from '../support/server.js';
import { exchange, requestText } from './raw.js';

const MADE = /^req-[0-9a-f]{20}$/;

describe('the id of a request (interface/README#requests)', () => {
  const server = withServer({ deliveryAllowPrivate: true });
  const bridge = withBridge();
  let client: TestClient;
  beforeAll(async () => {
    client = await newLedger(server.current.url);
  });

  const idFor = async (headers: Record<string, string> = {}) =>
    (await client.get('/wallets', headers)).headers.get('x-request-id');

  it.each(['a', '0af7651916cd43dd8448eb211c80319c', 'Root:1-67891233/a+b=c@d_e.f', 'a'.repeat(requestLimits.id)])(
    'is the one that the client sent: %s',
    async (id) => {
      expect(await idFor({ 'x-request-id': id })).toBe(id);
    },
  );

  it.each(['', 'a b', 'a,b', 'a"b', 'a;b', 'a\tb', 'ä', 'a'.repeat(requestLimits.id + 1)])(
    'is made in place of %j',
    async (id) => {
      const request = requestText('GET /v2/wallets', { 'x-ledger': client.ledger!, 'x-request-id': id });
      expect((await exchange(server.current.url, [request])).headers['x-request-id']).toMatch(MADE);
    },
  );

  it('is made where the client sent none, or two', async () => {
    const [one, other] = [await idFor(), await idFor()];
    expect(one).toMatch(MADE);
    expect(other).toMatch(MADE);
    expect(one).not.toBe(other);
    const twice = 'GET /v2 HTTP/1.1\r\nhost: a\r\nx-request-id: a\r\nx-request-id: b\r\n\r\n';
    expect((await exchange(server.current.url, [twice])).headers['x-request-id']).toMatch(MADE);
  });

  it.each([
    ['GET', '/v2'],
    ['GET', '/v2/openapi.json'],
    ['GET', '/'],
    ['GET', '/docs'],
    ['GET', '/health'],
    ['GET', '/nowhere'],
    ['GET', '/v2/%'],
    ['GET', `/v2/wallets/${'a'.repeat(1_025)}`],
    ['GET', '/log/ldg.x/checkpoint'],
    ['GET', '/v2/wallets'],
    ['PATCH', '/v2/wallets'],
    ['POST', '/v2/wallets'],
    ['POST', '/v2/oauth/token'],
    ['OPTIONS', '/v2/wallets'],
  ])('is in the answer to %s %s, which scripts of every origin may read', async (method, path) => {
    const request = requestText(`${method} ${path}`, { 'x-request-id': 'mine' });
    const { headers } = await exchange(server.current.url, [request]);
    expect(headers['x-request-id']).toBe('mine');
    expect(headers['access-control-expose-headers']).toBe('x-request-id');
  });

  it('is in answers to what is no request', async () => {
    for (const bytes of [
      'nonsense\r\n\r\n',
      'GET /v2 HTTP/1.1\r\n\r\n',
      `GET /v2 HTTP/1.1\r\na: ${'a'.repeat(65_536)}`,
    ]) {
      const { status, headers } = await exchange(server.current.url, [bytes]);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(headers['x-request-id']).toMatch(MADE);
    }
    for (const start of ['GET /v2', 'CONNECT ledger.example:443']) {
      const request = requestText(start, { expect: 'a miracle', 'x-request-id': 'mine' });
      const { status, headers } = await exchange(server.current.url, [request]);
      expect([status, headers['x-request-id']]).toEqual([start === 'GET /v2' ? 417 : 404, 'mine']);
    }
  });

  it('is told to the bridge that a request is forwarded to', async () => {
    const forwarded = await forwardingLedger(server.current.url, bridge.url, [aspect('read', 'proxy')]);
    for (const [sent, known] of [
      ['mine', /^mine$/],
      ['not mine', MADE],
    ] as const) {
      bridge.reset();
      bridge.keep(anchor('a'));
      const answer = await forwarded.get('/anchors/a', { 'x-request-id': sent });
      expect(answer.status, answer.text).toBe(200);
      expect(bridge.only.headers['x-request-id']).toMatch(known);
      expect(bridge.only.headers['x-request-id']).toBe(answer.headers.get('x-request-id'));
    }
  });
});

describe('the id of a request that is refused for coming too often', () => {
  const server = withOwnServer({ rates: { requests: { count: 1, seconds: 3_600 } } });

  it('is in the answer', async () => {
    const send = () => exchange(server.current.url, [requestText('GET /v2', { 'x-request-id': 'mine' })]);
    await send();
    const { status, headers } = await send();
    expect([status, headers['x-request-id']]).toEqual([429, 'mine']);
  });
});

describe('the id of a request in the log', () => {
  const lines: { readonly reqId?: string; readonly msg: string }[] = [];
  const sink = new Writable({
    write(chunk, _, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const server = withOwnServer({ logger: pino({ level: 'error' }, sink) });

  it('is on the line of an error', async () => {
    const client = await newLedger(server.current.url);
    const { ledgers } = server.current.server.service;
    const { resolve } = ledgers;
    Object.assign(ledgers, { resolve: () => Promise.reject(new Error('broken')) });
    const answer = await client.get('/wallets', { 'x-request-id': 'mine' });
    Object.assign(ledgers, { resolve });
    expect(answer.status).toBe(500);
    expect(lines.filter(({ msg }) => msg === 'unexpected error').map(({ reqId }) => reqId)).toEqual(['mine']);
  });
});
