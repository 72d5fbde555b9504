import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { founded, GATE, underPolicies } from '../access-http/support.js';
import { divided } from '../domains/scene.js';
import { expectList, expectRefusal } from '../support/checks.js';
import { newKey, newLedger, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { Books } from './books.js';

const server = withServer();
const WAYS = ['balances', 'limits'] as const;

/** The rows of a list as `usd available 5`. */
function rowsIn({ body }: { body: { data: RecordEnvelope[] } }): string[] {
  return body.data.map(({ data }) => `${data.symbol} ${data.schema} ${data.amount}`);
}

describe('GET /wallets/{id}/balances', () => {
  let client: TestClient;
  let books: Books;
  let wallet: RecordEnvelope;
  let luids: readonly [string, string];
  beforeAll(async () => {
    client = await newLedger(server.current.url);
    wallet = await stored(client, 'wallet', { handle: 'alice' });
    await stored(client, 'wallet', { handle: 'bob' });
    books = await Books.of(server.current, client);
    luids = await books.set(wallet, 'usd', { available: 7500, reserved: 0, changed: true });
    await books.set(wallet, 'eur', { available: -20_000, moment: '2030-01-02T03:04:05.006Z' });
    await books.set(wallet, 'ZAR', { available: Number.MAX_SAFE_INTEGER, reserved: 12 });
  });
  afterAll(() => books.close());

  const path = '/wallets/alice/balances';

  it('is a signed page by symbol, then schema, with the total', async () => {
    const answer = await client.get(path);
    expectList(answer, client, { index: 0, limit: 20, total: 5 });
    expect(rowsIn(answer)).toEqual([
      `ZAR available ${Number.MAX_SAFE_INTEGER}`,
      'ZAR reserved 12',
      'eur available -20000',
      'usd available 7500',
      'usd reserved 0',
    ]);
  });

  it('shows rows byte for byte as the interface does, with `parent` once they have changed', async () => {
    const { text } = await client.get(`${path}?data.symbol.$in[0]=usd&data.symbol.$in[1]=eur`);
    const row = (parent: string, symbol: string, schema: string, amount: number, luid: string, moment: string) =>
      `{"hash":"","data":{${parent}"wallet":"alice","symbol":"${symbol}","schema":"${schema}","amount":${amount}},"luid":"${luid}","meta":{"moment":"${moment}"}}`;
    const eur = JSON.parse(text).data[0];
    expect(eur.luid).toMatch(/^\$wbl\.-/);
    expect(text).toContain(
      `"data":[${[
        row('', 'eur', 'available', -20_000, eur.luid, '2030-01-02T03:04:05.006Z'),
        row('"parent":"",', 'usd', 'available', 7500, luids[0], '2030-01-01T00:00:00.807Z'),
        row('"parent":"",', 'usd', 'reserved', 0, luids[1], '2030-01-01T00:00:00.807Z'),
      ].join(',')}]`,
    );
  });

  it('is cut into pages, each with the total', async () => {
    const page = async (index: number) => {
      const answer = await client.get(`${path}?page.limit=2&page.index=${index}`);
      expectList(answer, client, { index, limit: 2, total: 5 });
      return rowsIn(answer);
    };
    const all = rowsIn(await client.get(path));
    expect([await page(0), await page(1), await page(2), await page(3)]).toEqual([
      all.slice(0, 2),
      all.slice(2, 4),
      all.slice(4),
      [],
    ]);
    expect(ok(await client.get(`${path}?page.limit=5000`)).body.page).toEqual({ index: 0, limit: 1000, total: 5 });
  });

  it('is filtered by symbol and schema, and by nothing else', async () => {
    const of = async (query: string) => rowsIn(ok(await client.get(`${path}?${query}`)));
    expect(await of('data.symbol=usd')).toEqual(['usd available 7500', 'usd reserved 0']);
    expect(await of('data.symbol.$ne=ZAR&data.schema=reserved')).toEqual(['usd reserved 0']);
    expect(await of('data.schema.$nin[0]=reserved&data.symbol.$gt=ZAR')).toEqual([
      'eur available -20000',
      'usd available 7500',
    ]);
    expect(await of('data.symbol.$regex=u')).toHaveLength(3);
    expectList(await client.get(`${path}?data.symbol=gbp`), client, { index: 0, limit: 20, total: 0 });
    for (const key of ['data.amount', 'data.metric', 'meta.moment', 'symbol']) {
      const detail = `Unsupported filters: '${key}'`;
      expectRefusal(await client.get(`${path}?${key}=1`), client, 'api.query-malformed', detail);
    }
  });

  it.each(WAYS)('%s: is empty where nothing was moved', async (way) => {
    const answer = await client.get(`/wallets/bob/${way}`);
    expect(expectList(answer, client, { index: 0, limit: 20, total: 0 })).toEqual([]);
  });

  it.each(WAYS)('%s: takes handle and luid, and resolves no address', async (way) => {
    expect(ok(await client.get(`/wallets/${wallet.luid}/${way}`)).body.data).toEqual(
      ok(await client.get(`/wallets/alice/${way}`)).body.data,
    );
    for (const id of ['ghost', 'tel:1@alice', 'account:1@b', '$wlt.-0000000000000000', 'x'.repeat(256), 'a%2Fb']) {
      expectRefusal(await client.get(`/wallets/${id}/${way}`), client, 'record.not-found', 'Wallet not found');
    }
  });
});

describe('who may list what a wallet holds', () => {
  it.each(WAYS)('%s: who may read the wallet', async (way) => {
    const reader = newKey();
    const client = await founded(server.current.url, [GATE]);
    const access: JsonObject[] = [{ action: 'read', bearer: { $signer: { public: reader.public } } }];
    await stored(client, 'wallet', { handle: 'theirs', access });
    await stored(client, 'wallet', { handle: 'closed' });
    for (const key of [reader, client.key]) ok(await client.get(`/wallets/theirs/${way}`, bearer(key)));
    const closed = await client.get(`/wallets/closed/${way}`, bearer(reader));
    expectRefusal(closed, client, 'auth.forbidden', 'Cannot read wallet.');
    expectRefusal(
      await client.get(`/wallets/closed/${way}`),
      client,
      'auth.unauthorized',
      'Missing token: send one in the header authorization; a write may be signed instead.',
    );
  });

  it.each(WAYS)('%s: ends at the borders of a domain', async (way) => {
    const { founder, admin } = await divided(server.current.url);
    for (const handle of ['w@sales', 'w@bank']) await stored(founder, 'wallet', { handle });
    ok(await admin.get(`/wallets/w@sales/${way}`, bearer(admin.key)));
    const other = await admin.get(`/wallets/w@bank/${way}`, bearer(admin.key));
    expectRefusal(other, admin, 'auth.forbidden', 'Cannot read wallet.');
  });

  it.each(WAYS)('%s: who a policy lets read', async (way) => {
    const reader = newKey();
    const client = await underPolicies(server.current.url, [
      {
        handle: 'readers',
        values: [
          { action: 'access', record: 'ledger' },
          { action: 'read', record: 'wallet', bearer: { $signer: { public: reader.public } }, filter: { handle: 'w' } },
        ],
      },
    ]);
    for (const handle of ['w', 'v']) await stored(client, 'wallet', { handle });
    ok(await client.get(`/wallets/w/${way}`, bearer(reader)));
    expectRefusal(
      await client.get(`/wallets/v/${way}`, bearer(reader)),
      client,
      'auth.forbidden',
      'Cannot read wallet.',
    );
  });

  it('is nobody of another ledger, though names, luids and symbols be the same', async () => {
    const [one, other] = [await newLedger(server.current.url), await newLedger(server.current.url)];
    const [wallet, theirs] = [
      await stored(one, 'wallet', { handle: 'w' }),
      await stored(other, 'wallet', { handle: 'w' }),
    ];
    const books = await Books.of(server.current, one);
    await stored(one, 'symbol', { handle: 'usd', factor: 100 });
    await books.set(wallet, 'usd', { available: 5 });
    await books.limit(wallet, 'usd', 'minBalance', 1);
    // Rows of the one ledger under the luid of the other's wallet.
    await books.set(theirs, 'usd', { available: 6 });
    await books.limit(theirs, 'usd', 'minBalance', 2);
    await books.close();
    for (const way of WAYS) {
      expectList(await one.get(`/wallets/w/${way}`), one, { index: 0, limit: 20, total: 1 });
      expect(expectList(await other.get(`/wallets/w/${way}`), other, { index: 0, limit: 20, total: 0 })).toEqual([]);
      const foreign = await other.get(`/wallets/${wallet.luid}/${way}`);
      expectRefusal(foreign, other, 'record.not-found', 'Wallet not found');
    }
    expect((await other.drop('/wallets/w', theirs)).status).toBe(204);
  });
});
