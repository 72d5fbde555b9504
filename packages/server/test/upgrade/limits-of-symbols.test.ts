import pg from 'pg';
import { expect, it } from 'vitest';
import { readSql } from '../../src/store/sql.js';
import { erasureOf } from '../erasure/support.js';
import { droppedSymbol } from '../money/dropped-symbol.js';
import { limit, MoneyScene } from '../money/scene.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';

const server = withOwnServer();

/** The table as 0.2.0 had it, with all its rows. */
const BEFORE = `
alter table wallet_limit drop constraint wallet_limit_pkey, drop column symbol_luid, drop column luid,
  add primary key (ledger_id, wallet, symbol, metric)`;

async function migrateAgain(url: string): Promise<void> {
  const connection = new pg.Client({ connectionString: url });
  await connection.connect();
  await connection.query(readSql('migrations/0019-limits-of-symbols')).finally(() => connection.end());
}

it('limits of 0.2.0 go to the symbols that they were set on, and end with those that were dropped', async () => {
  const { url } = server.current.database;
  const money = await MoneyScene.make(server.current.url, ['alice', 'bob'], {
    config: { 'limits.aggregated.enabled': true },
  });
  const { client } = money;
  const make = (handle: string) => stored(client, 'symbol', { handle, factor: 100 });
  const drop = async (handle: string) =>
    ok(await client.drop(`/symbols/${handle}`, ok(await client.get(`/symbols/${handle}`)).body));
  for (const handle of ['gone', 'anew', 'again']) {
    await make(handle);
    await money.done([limit('alice', 'minBalance', -1_000, handle), limit('alice', 'dailyCount', 5, handle)]);
    await drop(handle);
  }
  await make('anew');
  await make('again');
  await money.done([limit('bob', 'minBalance', -10, 'again')]);
  await money.done([limit('alice', 'minBalance', -7)]);

  const served = async (wallet: string) => ok(await client.get(`/wallets/${wallet}/limits`)).body.data;
  const before = [await served('alice'), await served('bob')];
  await runSql(url, BEFORE);
  expect(await runSql(url, 'select symbol from wallet_limit')).toHaveLength(8);
  await migrateAgain(url);

  const rows = await runSql<{ symbol: string; luid: string; symbol_luid: string; body: string }>(
    url,
    'select symbol, luid, symbol_luid, body from wallet_limit order by symbol',
  );
  expect(rows.map(({ symbol }) => symbol)).toEqual(['again', 'usd']);
  for (const { symbol, luid, symbol_luid, body } of rows) {
    expect(luid).toBe(JSON.parse(body).luid);
    expect(symbol_luid).toBe(ok(await client.get(`/symbols/${symbol}`)).body.luid);
  }
  expect([await served('alice'), await served('bob')]).toEqual(before);
});

it('and with those that were erased, of which nothing says what they were called', async () => {
  const { url } = server.current.database;
  const { money, client, luid } = await droppedSymbol(server.current.url);
  await runSql(url, 'create table kept_limit as select * from wallet_limit where symbol_luid = $1', [luid]);
  await eventually(async () => ok(await client.call('POST', `/symbols/${luid}/erase`, erasureOf(luid, 2, client.key))));
  await stored(client, 'symbol', { handle: 'anew', factor: 1 });
  await money.done([limit('alice', 'minBalance', -7)]);

  // 0.2.0 left the row of a symbol that was erased.
  await runSql(url, 'delete from wallet_limit where symbol_luid = $1', [luid]);
  await runSql(url, 'insert into wallet_limit select * from kept_limit');
  await runSql(url, BEFORE);
  await migrateAgain(url);
  const { data } = ok(await client.get('/wallets/alice/limits')).body;
  expect(data.map((one: { data: { symbol: string } }) => one.data.symbol)).toEqual(['usd']);
});
