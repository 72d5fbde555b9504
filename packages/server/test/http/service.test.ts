import { hash as hashOf, type JsonObject } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { newLedger, TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startServer, withOwnServer } from '../support/server.js';
import { Description } from './description.js';
import { expectRefusal, systemKey } from './refusal.js';

const DETAILS: Readonly<Record<number, string>> = {
  500: 'Unexpected server error',
  503: 'The service is not available at the moment. Retry later.',
};

const JSON_TYPE = 'application/json; charset=utf-8';

describe('what the server says of itself', () => {
  const server = withOwnServer();
  let base: string;
  beforeAll(() => {
    base = server.current.url.replace(/\/v2$/, '');
  });

  it('tells what it is, hashed and unsigned (interface/ledgers#server-information)', async () => {
    for (const path of ['/v2', '/v2/', '/v2?a=b']) {
      const answer = await fetch(base + path, { headers: { 'x-ledger': 'nobody', authorization: 'Bearer x' } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe(JSON_TYPE);
      const body = (await answer.json()) as { hash: string; data: object; meta: object };
      expect(Object.keys(body)).toEqual(['hash', 'data', 'meta']);
      expect(body.data).toEqual({
        handle: 'test',
        server: server.current.url,
        semver: '2.36.0',
        status: 'UP',
        uptime: expect.any(Number),
        dependencies: { db: 'CONNECTED' },
        build: '0.0.0',
      });
      expect(body.hash).toBe(hashOf(body.data as never, native));
      expect(body.meta).toEqual({ moment: expect.stringMatching(/^\d{4}-.*Z$/) });
    }
  });

  it('names the ledger of the request where it has it, by its handle', async () => {
    const { data, luid } = (await (await newLedger(server.current.url)).get('/ledger')).body;
    const told = async (named: string) => {
      const answer = await fetch(server.current.url, { headers: { 'x-ledger': named } });
      return ((await answer.json()) as { data: JsonObject }).data.ledger;
    };
    for (const named of [data.handle, luid]) expect(await told(named)).toBe(data.handle);
    expect(await told('nobody')).toBeUndefined();
  });

  it('tells for how many seconds it has served', async () => {
    let now = Date.parse('2030-01-01T00:00:00.000Z');
    const other = await startServer({ runtime: { now: () => now, random: (count) => Buffer.alloc(count, 1) } });
    const uptime = async () => ((await (await fetch(other.url)).json()) as { data: JsonObject }).data.uptime;
    expect(await uptime()).toBe(0);
    now += 61_500;
    expect(await uptime()).toBe(61);
    await other.stop();
  });

  it('is alive and ready', async () => {
    for (const probe of ['/health', '/health/live', '/health/ready']) {
      const answer = await fetch(base + probe);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({ status: 'UP' });
    }
    expect((await fetch(`${server.current.url}/health/live`)).status).toBe(404);
  });

  it('is not ready without its database, and says nothing of why', async () => {
    const other = await startServer();
    const described = await Description.of(other.url);
    const client = await newLedger(other.url);
    const system = await systemKey(client);
    await other.database.drop();
    const root = other.url.replace(/\/v2$/, '');
    for (const probe of ['/health', '/health/ready']) {
      await eventually(async () => expect((await fetch(root + probe)).status).toBe(503));
      expect(await (await fetch(root + probe)).json()).toEqual({ status: 'DOWN' });
    }
    expect((await fetch(`${root}/health/live`)).status).toBe(200);
    const told = (await (await fetch(other.url)).json()) as { data: JsonObject };
    expect(told.data).toMatchObject({ status: 'DOWN', dependencies: { db: 'ERROR' } });
    // Told as a failure or as being unavailable: that depends on which of the two the database itself tells.
    const unexpected = (status: number) =>
      ({ reason: 'api.unexpected-error', status, detail: DETAILS[status] ?? '' }) as const;
    for (const answer of [await client.get('/wallets/w'), await client.create('/wallets', { handle: 'w' })]) {
      expectRefusal(answer, { ...unexpected(answer.status), signedBy: system });
      expect(Object.keys(answer.body.data)).toEqual(['reason', 'detail']);
      expect(described.answerErrors('GET', '/wallets/w', answer.status, answer.body)).toBeUndefined();
    }
    const unresolved = await client.in('other').get('/wallets/w');
    expectRefusal(unresolved, { ...unexpected(unresolved.status), signedBy: null });
    await other.stop();
  });

  it('keeps its metrics off the port of clients', async () => {
    expect((await fetch(`${base}/metrics`)).status).toBe(404);
  });

  it('answers with the content type of what it sends, to every origin', async () => {
    const client = await newLedger(server.current.url);
    const created = await client.create('/wallets', { handle: 'w' });
    const answers = [
      created,
      await client.get('/wallets/w'),
      await client.get('/wallets'),
      await client.get('/nothing'),
      await client.call('POST', '/wallets', '{'),
      await new TestClient(server.current.url).get('/wallets'),
      await client.get('/openapi.json'),
    ];
    for (const answer of answers) {
      expect(answer.headers.get('content-type')).toBe(JSON_TYPE);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    }
    const dropped = await client.drop('/wallets/w', created.body);
    expect(dropped.status).toBe(204);
    expect(dropped.text).toBe('');
    expect(dropped.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(dropped.headers.get('access-control-allow-origin')).toBe('*');
  });
});
