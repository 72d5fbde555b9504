import type { JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { requestHash } from '../../src/auth/request-hash.js';
import { newKey, newLedger, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { withServer, withTwoServers } from '../support/server.js';
import { bearer } from '../support/token.js';
import { allSealed, LogReader } from './reading.js';

const PATHS = ['checkpoint', 'vkeys', 'tile/0/000.p/1', 'tile/entries/000.p/1'];

/** A ledger of which only the owner may read the record. */
async function owned(url: string, log: string | undefined) {
  const key = newKey();
  const config = { 'access.strategy': 'policy-based', ...(log === undefined ? {} : { log }) };
  const client = await newLedger(url, { key, access: [], config });
  await allSealed(client, bearer(key));
  return { key, client, reader: await LogReader.of(client, bearer(key)) };
}

async function seen(reader: LogReader, headers?: Record<string, string>): Promise<unknown[]> {
  const answers = await Promise.all(
    PATHS.map(async (path) => {
      const answer = await reader.get(path, headers);
      const cached = answer.headers.get('cache-control')?.split(',')[0] ?? null;
      if (answer.status < 300) return [200, cached];
      const { data } = (await answer.json()) as { data: JsonObject };
      return [answer.status, data.reason, cached];
    }),
  );
  const [first] = answers;
  for (const answer of answers) expect(answer).toEqual(first);
  return first!;
}

describe('who may read a log', () => {
  const server = withServer();

  it('is everyone, where the ledger says so', async () => {
    const { reader } = await owned(server.current.url, 'open');
    expect(await seen(reader)).toEqual([200, 'public']);
    expect(await seen(reader, { authorization: 'Bearer nonsense' })).toEqual([200, 'public']);
  });

  it.each(['members', undefined])('is who may read the record of the ledger, where it says %s', async (log) => {
    const { reader, key, client } = await owned(server.current.url, log);
    expect(await seen(reader, bearer(key))).toEqual([200, 'private']);
    for (const headers of [undefined, bearer(newKey()), { authorization: 'Bearer nonsense' }]) {
      const { status, body } = await client.get('/ledger', headers);
      expect(await seen(reader, headers)).toEqual([status, body.data.reason, null]);
      expect(status).toBeGreaterThan(400);
    }
    const { key: other } = await owned(server.current.url, log);
    expect(await seen(reader, bearer(other))).toEqual([403, 'auth.forbidden', null]);
  });

  it('is nobody, where the ledger says so; the log is as one that is not there', async () => {
    const { reader, key } = await owned(server.current.url, 'closed');
    for (const headers of [undefined, bearer(key)])
      expect(await seen(reader, headers)).toEqual([404, 'api.route-not-found', null]);
    const withoutMoment = async (url: string) => {
      const { meta, ...body } = (await (await fetch(url)).json()) as { meta: JsonObject };
      return { ...body, proofs: meta.proofs };
    };
    const closed = await withoutMoment(`${reader.base}/checkpoint`);
    expect(closed).toEqual(await withoutMoment(reader.base.replace(/ldg\..*/, 'ldg.AAAAAAAAAAAAAAAAA/checkpoint')));
  });

  it('is who reads its state and its consistency, too', async () => {
    const { key, client } = await owned(server.current.url, 'open');
    for (const path of ['/ledger/log', '/ledger/log/consistency?from=1']) {
      const statuses = [bearer(key), undefined, bearer(newKey())].map(
        async (headers) => (await client.get(path, headers)).status,
      );
      expect(await Promise.all(statuses), path).toEqual([200, 401, 403]);
    }
  });

  it('is told by tokens that are bound to the URL of the log', async () => {
    const { reader, key } = await owned(server.current.url, 'members');
    const hsh = (path: string) =>
      requestHash({ method: 'GET', url: `${reader.base}/${path}`, headers: {}, body: undefined });
    const status = async (path: string, of: string) => (await reader.get(path, bearer(key, { hsh: hsh(of) }))).status;
    expect(await status('checkpoint', 'checkpoint')).toBe(200);
    expect(await status('checkpoint', 'vkeys')).toBe(401);
  });
});

describe('two processes', () => {
  const servers = withTwoServers();

  it('take note that a ledger is open no more, and that it is again', async () => {
    const [one, two] = servers.current;
    const key = newKey();
    const client = await newLedger(one.url, { key, config: { log: 'open' } });
    await allSealed(client);
    const { pathname } = new URL((await LogReader.of(client)).base);
    const at = async (url: string) => (await fetch(new URL(`${pathname}/vkeys`, url))).status;
    expect([await at(one.url), await at(two.url)]).toEqual([200, 200]);
    const change = async (log: string) => {
      const { body: record } = await client.get('/ledger');
      expect((await client.update('/ledger', record, { ...record.data, config: { log } })).status).toBe(200);
      return (expected: number) =>
        eventually(async () => expect([await at(one.url), await at(two.url)]).toEqual([expected, expected]));
    };
    await (await change('closed'))(404);
    await (await change('open'))(200);
  });

  it('refuse another value', async () => {
    const client: TestClient = await newLedger(servers.current[0].url);
    const { body: record } = await client.get('/ledger');
    const { status, body } = await client.update('/ledger', record, { ...record.data, config: { log: 'all' } });
    expect([status, body.data.reason]).toEqual([422, 'record.schema-invalid']);
  });
});
