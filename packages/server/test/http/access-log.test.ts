import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '@countersign/protocol';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestLimits } from '../../src/http/request-limits.js';
import { makeAccessLog } from '../../src/http/telemetry/access-log.js';
import { newKey, newLedger, OPEN, signed, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { exchange, requestText } from './raw.js';

type Line = JsonObject & { readonly msg: string };

/** A logger, and the lines of its access log. */
function capture(level = 'info') {
  const lines: Line[] = [];
  const sink = new Writable({
    write(chunk, _, done) {
      const line = JSON.parse(String(chunk));
      if (line.msg === 'request') lines.push(line);
      done();
    },
  });
  return { lines, logger: pino({ level }, sink) };
}

/** The one line, without what every line has. */
async function only(lines: readonly Line[]): Promise<JsonObject> {
  await eventually(() => expect(lines).not.toEqual([]));
  expect(lines).toHaveLength(1);
  const { level: _, time: __, pid: ___, hostname: ____, msg: _____, ...line } = lines[0]!;
  return line;
}

describe('the access log of all requests', () => {
  const { lines, logger } = capture();
  const server = withOwnServer({ logger, accessLog: 1 });
  let client: TestClient;
  beforeEach(async () => {
    client = await newLedger(server.current.url, { access: OPEN });
    await eventually(() => expect(lines.at(-1)?.route).toBe('/v2/ledgers'));
    lines.length = 0;
  });

  const whole = (more: object) => ({ ms: expect.any(Number), from: '127.0.0.1', ledger: client.ledger, ...more });

  it('has who asks for what, and what came of it, without any handle of a record', async () => {
    const signer = newKey();
    await stored(client, 'signer', { handle: 'alice', format: 'ed25519-raw', public: signer.public });
    await eventually(() => expect(lines).toHaveLength(1));
    lines.length = 0;
    const headers = { ...bearer(signer), 'x-request-id': 'mine' };
    const answer = await client.get('/signers/alice?data.secret=x', headers);
    expect(await only(lines)).toEqual(
      whole({
        ...{ reqId: 'mine', method: 'GET', route: '/v2/signers/:id', status: answer.status },
        ...{ bytes: Buffer.byteLength(answer.text), who: { signer: 'alice', key: signer.public.slice(0, 12) } },
        decision: 'granted',
      }),
    );
  });

  it('names the key of a factor, and of whoever signs without being a signer', async () => {
    const [own, other] = [newKey(), newKey()];
    await stored(client, 'signer', { handle: 'bob', format: 'ed25519-raw', public: own.public });
    const factor = { handle: 'phone', signer: 'bob', schema: 'key-pair', format: 'ed25519-raw', public: other.public };
    const made = await client.create('/signers/bob/factors', factor);
    expect(made.status, made.text).toBe(201);
    await eventually(() => expect(lines).toHaveLength(2));
    lines.length = 0;
    await client.get('/wallets', bearer(other));
    expect(await only(lines)).toMatchObject({
      who: { signer: 'bob', key: other.public.slice(0, 12), isFactor: true },
    });
    lines.length = 0;
    const stranger = newKey();
    const answer = await client.as(stranger).create('/wallets', { handle: 'w' });
    expect(await only(lines)).toEqual(
      whole({
        ...{ reqId: expect.any(String), method: 'POST', route: '/v2/wallets', status: 201, decision: 'granted' },
        ...{ bytes: Buffer.byteLength(answer.text), who: { key: stranger.public.slice(0, 12) } },
      }),
    );
  });

  it('has why a request is refused', async () => {
    const closed = await newLedger(server.current.url, { access: [{ action: 'read', record: 'wallet' }] });
    await eventually(() => expect(lines).toHaveLength(1));
    const cases = [
      [() => closed.get('/symbols'), { status: 401, decision: 'refused', reason: 'auth.unauthorized' }],
      [() => closed.get('/symbols', bearer(newKey())), { status: 403, decision: 'refused', reason: 'auth.forbidden' }],
      [
        () => client.get('/wallets', { authorization: 'Bearer x' }),
        { status: 401, decision: 'refused', reason: 'auth.unauthorized' },
      ],
      [() => client.get('/wallets/none'), { status: 404, reason: 'record.not-found' }],
      [() => client.get('/nowhere'), { status: 404, route: 'none', reason: 'api.route-not-found' }],
      [
        () => client.call('POST', '/wallets', { ...signed({ handle: 'w' }, client.key), hash: 'x' }),
        { status: 422, reason: 'record.schema-invalid' },
      ],
      [() => client.call('POST', '/oauth/token'), { status: 400, reason: 'invalid_request' }],
    ] as const;
    for (const [ask, expected] of cases) {
      lines.length = 0;
      await ask();
      expect(await only(lines)).toMatchObject(expected);
    }
  });

  it('has what no route could be looked for, and what was no request', async () => {
    for (const [bytes, status] of [
      [requestText('GET /v2/%', {}), 400],
      [requestText('GET /v2', { expect: 'a miracle' }), 417],
      ['nonsense\r\n\r\n', 400],
    ] as const) {
      lines.length = 0;
      const { headers, text } = await exchange(server.current.url, [bytes]);
      expect(await only(lines)).toMatchObject({
        ...{ reqId: headers['x-request-id'], status, bytes: Buffer.byteLength(text) },
      });
    }
  });

  it('has a request whose client went away', async () => {
    const { ledgers } = server.current.server.service;
    const { resolve } = ledgers;
    let goOn = () => {};
    const gone = new Promise<void>((done) => {
      goOn = done;
    });
    let isAsked = false;
    const waiting = async (id: string) => {
      isAsked = true;
      await gone;
      return resolve(id);
    };
    Object.assign(ledgers, { resolve: waiting });
    const { hostname, port } = new URL(server.current.url);
    const socket = connect(Number(port), hostname);
    socket.write(requestText('GET /v2/wallets', { 'x-ledger': client.ledger! }));
    await eventually(() => expect(isAsked).toBe(true));
    socket.destroy();
    const line = await only(lines);
    goOn();
    Object.assign(ledgers, { resolve });
    expect(line).toMatchObject({ route: '/v2/wallets', gone: true, bytes: 0 });
    expect(line).not.toHaveProperty('status');
  });
});

describe('the access log of no request that succeeds', () => {
  const { lines, logger } = capture();
  const server = withOwnServer({ logger, accessLog: 0 });
  afterEach(() => {
    lines.length = 0;
  });

  it('has those that are refused or fail, and no other', async () => {
    const client = await newLedger(server.current.url);
    await client.get('/wallets');
    await client.get('/nowhere');
    const { ledgers } = server.current.server.service;
    const { resolve } = ledgers;
    Object.assign(ledgers, { resolve: () => Promise.reject(new Error('broken')) });
    await client.get('/wallets');
    Object.assign(ledgers, { resolve });
    await eventually(() => expect(lines.map(({ status }) => status)).toEqual([404, 500]));
    expect(lines[1]).toMatchObject({ reason: 'api.unexpected-error' });
  });

  it('has so many of both in a second, and counts those left out', async () => {
    const clock = { now: 0 };
    const { lines, logger } = capture();
    const log = makeAccessLog(0, logger as never, { random: (bytes) => Buffer.alloc(bytes) }, () => clock.now)!;
    const { count, window } = requestLimits.logged;
    const refuse = (status: number, times: number) => {
      for (let n = 0; n < times; n++) log.refused({ reqId: 'a', status, bytes: 0 });
    };
    refuse(400, count + 2);
    refuse(503, count + 3);
    clock.now += window - 1;
    refuse(400, 1);
    await eventually(() => expect(lines).toHaveLength(2 * count));
    expect(lines.every(({ untold }) => untold === undefined)).toBe(true);
    clock.now += 1;
    refuse(400, 1);
    refuse(503, 1);
    await eventually(() => expect(lines).toHaveLength(2 * count + 2));
    expect(lines.slice(-2)).toMatchObject([
      { status: 400, untold: 3 },
      { status: 503, untold: 3 },
    ]);
  });
});

describe.each([
  ['without a share', { level: 'info' }],
  ['above info', { level: 'warn', accessLog: 1 }],
])('%s', (_, { level, ...share }) => {
  const { lines, logger } = capture(level);
  const server = withOwnServer({ logger, ...share });

  it('there is no access log', async () => {
    const client = await newLedger(server.current.url);
    await client.get('/nowhere');
    await pause(50);
    expect(lines).toEqual([]);
  });
});

describe('the access log of a part of all requests', () => {
  const { lines, logger } = capture();
  const server = withOwnServer({ logger, accessLog: 0.5 });

  it('has about as many, and no probes', async () => {
    const client = await newLedger(server.current.url);
    lines.length = 0;
    await Promise.all(Array.from({ length: 200 }, () => client.get('/wallets')));
    await eventually(() => expect(lines.length).toBeGreaterThan(50));
    await pause(50);
    expect(lines.length).toBeLessThan(150);
    const probes = client.at(server.current.url.replace('/v2', ''));
    lines.length = 0;
    for (let n = 0; n < 20; n++) await probes.get('/health');
    await pause(50);
    expect(lines).toEqual([]);
  });
});
