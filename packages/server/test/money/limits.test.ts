import { hash as hashOf, type JsonObject } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { expectList, expectRefusal } from '../support/checks.js';
import { newLedger } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { Books } from './books.js';

const server = withServer();

it('GET /wallets/{id}/limits: a signed page by symbol, then metric, of limits as they were stored', async () => {
  const client = await newLedger(server.current.url);
  const wallet = await stored(client, 'wallet', { handle: 'w' });
  for (const handle of ['usd', 'eur']) await stored(client, 'symbol', { handle, factor: 100 });
  const books = await Books.of(server.current, client);
  const usd = await books.limit(wallet, 'usd', 'minBalance', -20_000);
  const count = await books.limit(wallet, 'usd', 'dailyCount', 3);
  const eur = await books.limit(wallet, 'eur', 'maxBalance', 100);
  await books.close();

  const answer = await client.get('/wallets/w/limits');
  const data = expectList(answer, client, { index: 0, limit: 20, total: 3 });
  expect(answer.text).toContain(`"data":[${[eur, count, usd].join(',')}]`);
  for (const row of data) expect(row.hash).toBe(hashOf(row.data, native));

  const of = async (query: string) =>
    ok(await client.get(`/wallets/w/limits?${query}`)).body.data.map((row: { data: JsonObject }) => row.data.metric);
  expect(await of('data.symbol=usd')).toEqual(['dailyCount', 'minBalance']);
  expect(await of('data.metric=maxBalance')).toEqual(['maxBalance']);
  expect(await of('page.limit=1&page.index=1')).toEqual(['dailyCount']);
  for (const key of ['data.schema', 'data.amount', 'metric']) {
    const detail = `Unsupported filters: '${key}'`;
    expectRefusal(await client.get(`/wallets/w/limits?${key}=1`), client, 'api.query-malformed', detail);
  }
});
