import { type JsonObject, type RecordEnvelope, verifyProof } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { journalLimits } from '../../src/journal/journal-limits.js';
import { erasureOf } from '../erasure/support.js';
import { expectRefusal } from '../support/checks.js';
import { dropOf, newKey, newLedger, OPEN, proofOver, signed, systemKeyOf, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const JOURNAL = '/system/requests';
const ON = { 'request.journalingEnabled': true };

/** An open ledger with a journal, and its client's key as the signer `alice`. */
async function journaled(url: string, options: Parameters<typeof newLedger>[1] = {}): Promise<TestClient> {
  const client = await newLedger(url, { config: ON, ...options });
  await stored(client, 'signer', { handle: 'alice', format: 'ed25519-raw', public: client.key.public });
  return client;
}

/** The journal, without the entry of the signer, once as many others are in it. */
async function entriesOf(client: TestClient, count: number, query = ''): Promise<RecordEnvelope[]> {
  return eventually(async () => {
    const { status, body, text } = await client.get(`${JOURNAL}?page.limit=1000${query}`, bearer(client.key));
    expect(status, text).toBe(200);
    const entries = body.data.filter((one: RecordEnvelope) => one.data.record !== 'signer');
    expect(entries.length, JSON.stringify(body.data, null, 1)).toBeGreaterThanOrEqual(count);
    return entries;
  });
}

describe('the journal of requests of a ledger that keeps none (interface/journal)', () => {
  const server = withServer();

  it.each(['', '?page.limit=1&data.source=x', '/ghost', `/$req.-${'a'.repeat(16)}`, '/a%2Fb'])(
    'is refused alike to everybody: /system/requests%s',
    async (end) => {
      const client = await newLedger(server.current.url, {
        access: [],
        config: { 'request.journalingEnabled': false },
      });
      for (const headers of [{}, bearer(client.key), bearer(newKey()), { authorization: 'Bearer none' }]) {
        const answer = await client.get(JOURNAL + end, headers);
        expectRefusal(answer, client, 'api.route-not-found', 'Journaling is not enabled');
      }
      const outside = client.in(undefined);
      expectRefusal(await outside.get(JOURNAL + end), outside, 'api.route-not-found', 'Active ledger is not set!');
      const unknown = await outside.get(JOURNAL + end, { 'x-ledger': 'nowhere-at-all' });
      expectRefusal(unknown, outside, 'api.route-not-found', 'Server does not host requested ledger');
    },
  );

  it.each([
    ['POST', '/system/requests'],
    ['DELETE', '/system/requests/a'],
    ['GET', '/system/requests/a/changes'],
    ['GET', '/system'],
  ])('has no %s %s', async (method, path) => {
    const client = await newLedger(server.current.url, { config: ON });
    const answer = await client.call(method, path);
    expectRefusal(answer, client, 'api.route-not-found', 'Route not found');
    expect(answer.status).toBe(404);
  });
});

describe('the journal of requests (interface/journal)', () => {
  const server = withServer();
  let client: TestClient;
  beforeAll(async () => {
    client = await journaled(server.current.url);
  });

  it('has who wrote what, from where and when, signed by the ledger, without what was sent', async () => {
    const body = signed({ handle: 'secret-name', custom: { a: 'private' } }, client.key, {
      status: 'created',
      note: 'mine',
    });
    const headers = {
      'x-request-id': 'call-1',
      'user-agent': 'u'.repeat(1_000),
      ...bearer(client.key),
    };
    const { status, body: record } = await client.call('POST', '/wallets?x=private', body, headers);
    expect(status).toBe(201);
    const [entry] = await entriesOf(client, 1, '&data.record=wallet');
    const { params, result, ...data } = entry!.data as JsonObject & { params: JsonObject; result: JsonObject };
    const [handle] = entry!.luid.split('.').slice(1);
    expect(entry!.luid.startsWith('$req.')).toBe(true);
    expect(data).toEqual({
      ...{ handle, schema: 'rest', record: 'wallet', action: 'create', source: 'signer:alice' },
      target: `ledger:${client.ledger}`,
    });
    expect(params).toEqual({
      ...{ method: 'POST', url: '/v2/wallets', from: '127.0.0.1', key: client.key.public, moment: expect.any(String) },
      headers: {
        ...{ 'x-request-id': 'call-1', 'content-type': 'application/json', authorization: '[REDACTED]' },
        'user-agent': 'u'.repeat(journalLimits.header),
      },
      body: JSON.stringify({ hash: record.hash }),
    });
    expect(result).toEqual({
      ...{ status: 201, moment: entry!.meta.moment },
      body: JSON.stringify({ luid: record.luid, meta: { change: 1 } }),
    });
    expect(entry!.meta.status).toBe('completed');
    const [proof] = entry!.meta.proofs;
    expect(proof).toMatchObject({ public: systemKeyOf(client), custom: { moment: entry!.meta.moment } });
    expect(verifyProof(entry!.hash, proof!, native)).toBe(true);
    expect(JSON.stringify(entry)).not.toMatch(/secret-name|private|mine/);
    for (const id of [entry!.luid, handle]) {
      const read = await client.get(`${JOURNAL}/${id}`, bearer(client.key));
      expect(read.body).toEqual(entry);
    }
    const none = await client.get(`${JOURNAL}/$req.${'a'.repeat(17)}`, bearer(client.key));
    expectRefusal(none, client, 'record.not-found', 'Request not found');
  });

  it('has all kinds of writes by the rights that they ask for, and no reads', async () => {
    const own = await journaled(server.current.url);
    const made = await own.create('/wallets', { handle: 'w' });
    const path = `/wallets/${made.body.luid}`;
    const updated = await own.update('/wallets/w', made.body, { handle: 'w', custom: { a: 1 } });
    const proved = await own.prove('/wallets/w', updated.body, { note: 'x' });
    await own.get('/wallets/w', bearer(own.key));
    await own.get('/wallets/none', bearer(own.key));
    await own.call('POST', '/wallets/w/access/!check', signed({ action: 'read' }, own.key, {}));
    await own.drop('/wallets/w', proved.body);
    await own.create('/intents', { handle: 'i', claims: [{ action: 'issue', target: 'w', symbol: 'usd', amount: 1 }] });
    const entries = await entriesOf(own, 5);
    const shown = entries.map(({ data }) => {
      const { params, result } = data as unknown as {
        params: { method: string; url: string };
        result: { status: number };
      };
      return `${params.method} ${params.url} ${data.action} ${data.record} ${result.status}`;
    });
    expect(new Set(shown)).toEqual(
      new Set([
        `DELETE /v2${path} drop wallet 204`,
        `POST /v2${path}/proofs create wallet-proof 200`,
        'POST /v2/wallets create wallet 201',
        'POST /v2/intents create intent 201',
        `PUT /v2${path} update wallet 200`,
      ]),
    );
  });

  it('leaves out what was stored before, whoever sends it again', async () => {
    const own = await journaled(server.current.url, { access: [...OPEN, { action: 'erase', record: 'any' }] });
    const body = signed({ handle: 'w' }, own.key);
    const made = (await own.call('POST', '/wallets', body)).body;
    const proof = proofOver(made.hash, own.key, { note: 'x' });
    const proved = (await own.call('POST', '/wallets/w/proofs', proof)).body;
    await own.call('POST', '/wallets', body);
    await own.call('POST', '/wallets/w/proofs', proof);
    const next = signed({ handle: 'w', custom: { a: 1 }, parent: proved.hash }, own.key);
    const updated = (await own.call('PUT', '/wallets/w', next)).body;
    await own.call('PUT', '/wallets/w', next);
    const drop = dropOf(updated, own.key);
    for (const status of [204, 204])
      expect((await own.call('DELETE', `/wallets/${made.luid}`, drop)).status).toBe(status);
    const erasure = erasureOf(made.luid, 4, own.key);
    for (const status of [200, 200])
      expect((await own.call('POST', `/wallets/${made.luid}/erase`, erasure)).status).toBe(status);
    await stored(own, 'symbol', { handle: 'last', factor: 1 });
    const entries = await entriesOf(own, 6, '&meta.status=completed');
    expect(entries.map(({ data }) => `${data.action} ${data.record}`)).toEqual([
      ...['create symbol', 'erase wallet', 'drop wallet', 'update wallet', 'create wallet-proof', 'create wallet'],
    ]);
  });

  it('has refusals with their reasons: of writes all, of reads those by rules and bad tokens', async () => {
    const own = await journaled(server.current.url, {
      access: [
        { action: 'any', record: 'any', signer: { $circle: 'none' } },
        { action: 'access', record: 'ledger' },
        { action: 'create', record: 'any' },
        { action: 'read', record: 'request' },
      ],
    });
    await stored(own, 'wallet', { handle: 'hidden' });
    await own.get('/wallets/hidden', bearer(own.key));
    await own.get('/wallets', { authorization: 'Bearer none' });
    await own.call('POST', '/wallets', '{"broken');
    await own.call('POST', '/wallets', { ...signed({ handle: 'w' }, own.key), hash: 'x' });
    await own.call('POST', '/wallets', 'text', { 'content-type': 'text/plain' });
    await own.get('/nowhere', bearer(own.key));
    const entries = await entriesOf(own, 5, '&meta.status=rejected');
    const shown = entries.map(({ data }) => {
      const { params, result } = data as unknown as {
        params: { method: string; url: string };
        result: { body: string };
      };
      return `${data.source} ${params.method} ${params.url} ${JSON.parse(result.body).data.reason}`;
    });
    expect(shown.sort()).toEqual([
      'null GET /v2/wallets auth.unauthorized',
      'null POST /v2/wallets api.body-malformed',
      'null POST /v2/wallets record.schema-invalid',
      'null POST /v2/wallets record.schema-invalid',
      'signer:alice GET /v2/wallets/{id} auth.forbidden',
    ]);
  });

  it('has reads of secrets, by the luid of the record', async () => {
    const own = await journaled(server.current.url, { access: [...OPEN, { action: 'reveal', record: 'any' }] });
    await stored(own, 'signer', { handle: 'app', format: 'ed25519-raw', public: newKey().public });
    const factor = { handle: 'app-oauth', signer: 'app', schema: 'oauth-client-credentials' };
    const made = await own.create('/signers/app/factors', factor);
    const path = '/signers/app/factors/app-oauth';
    await own.get(path, bearer(own.key));
    const { body } = await own.get(`${path}?include=meta.secret`, bearer(own.key));
    expect(body.meta.secret).toBeDefined();
    const [entry] = await entriesOf(own, 1, '&data.action=reveal');
    expect(entry!.data).toMatchObject({
      ...{ source: 'signer:alice', action: 'reveal' },
      params: { url: `/v2/signers/{parent}/factors/${made.body.luid}` },
    });
    expect((await entriesOf(own, 2)).map(({ data }) => data.action)).toEqual(['reveal', 'create']);
  });

  it('is filtered, paged, and shown to who may read requests of this ledger', async () => {
    const own = await journaled(server.current.url, {
      access: [
        { action: 'any', record: 'any', signer: { public: client.key.public } },
        { action: 'any', record: 'any', bearer: { $signer: { public: client.key.public } } },
        { action: 'any', record: 'wallet' },
        { action: 'access', record: 'ledger' },
      ],
      key: client.key,
    });
    const other = await journaled(server.current.url);
    for (const handle of ['a', 'b', 'c']) await stored(own, 'wallet', { handle });
    await stored(own.as(newKey()), 'wallet', { handle: 'd' });
    await stored(other, 'wallet', { handle: 'elsewhere' });
    const all = await entriesOf(own, 4);
    expect(all).toHaveLength(4);
    const list = async (query: string) => (await own.get(`${JOURNAL}?${query}`, bearer(own.key))).body;
    expect((await list('page.limit=2&page.index=1&data.record=wallet')).data).toEqual(all.slice(2));
    expect((await list('data.source=signer:alice&data.record=wallet')).data).toHaveLength(3);
    expect((await list(`data.target=ledger:${own.ledger}&data.record=wallet`)).data).toHaveLength(4);
    expect((await list(`data.target=ledger:${other.ledger}`)).data).toHaveLength(0);
    expect((await list(`meta.moment.$gt=${all[0]!.meta.moment}`)).data).toHaveLength(0);
    expect((await list('meta.labels=x')).data).toHaveLength(0);
    expect((await list('data.params=x')).data.reason).toBe('api.query-malformed');
    const [elsewhere] = await entriesOf(other, 1);
    const stranger = bearer(newKey());
    expect((await own.get(JOURNAL, stranger)).body.data).toEqual([]);
    expectRefusal(await own.get(`${JOURNAL}/${all[0]!.luid}`, stranger), own, 'auth.forbidden', 'Cannot read request.');
    expect((await own.get(`${JOURNAL}/${elsewhere!.luid}`, bearer(own.key))).status).toBe(404);
  });

  it('has the request that ends it, and is kept while it is switched off', async () => {
    const own = await journaled(server.current.url);
    const { body: record } = await own.get('/ledger', bearer(own.key));
    const { parent: _, ...data } = record.data;
    const off = await own.update('/ledger', record, { ...data, config: {} });
    expectRefusal(await own.get(JOURNAL), own, 'api.route-not-found', 'Journaling is not enabled');
    await stored(own, 'wallet', { handle: 'unseen' });
    await own.update('/ledger', off.body, { ...data, config: ON });
    expect((await entriesOf(own, 1)).map(({ data }) => `${data.action} ${data.record}`)).toEqual(['update ledger']);
  });
});
