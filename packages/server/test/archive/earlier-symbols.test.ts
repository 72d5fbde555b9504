import { expect, it } from 'vitest';
import { erasureOf } from '../erasure/support.js';
import { droppedSymbol } from '../money/dropped-symbol.js';
import { limit, transfer } from '../money/scene.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { startServer, withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { exported, imported, verified } from './support.js';

const server = withOwnServer();

/** Has the limits of the earlier symbol count for another one, or for none, as 0.2.0 did. */
const moveLimits = (luid: string, to: string) =>
  runSql(server.current.database.url, 'update wallet_limit set symbol_luid = $2 where symbol_luid = $1', [luid, to]);

const passphrase = 'correct horse';
const OUTLIVED = /movements were below a minimum|limits of symbols that are gone/;
const outlivedIn = (text: string) => {
  const { told, summary } = verified(text);
  return [...told, ...summary.unchecked.filter((one) => OUTLIVED.test(one))];
};

it('a limit that 0.2.0 let count for a symbol made anew is told, and is no finding', async () => {
  const { money, client, luid } = await droppedSymbol(server.current.url, ['alice', 'bob']);
  const { luid: later } = await stored(client, 'symbol', { handle: 'anew', factor: 1 });
  await moveLimits(luid, later);
  await money.done([transfer('alice', 'bob', 5, 'anew')]);
  // An upgrade ends the limit.
  await moveLimits(later, luid);
  expect(outlivedIn(await exported(server.current, client.ledger!))).toEqual([
    'Whether 1 movements were below a minimum: a limit of an earlier symbol of the same handle allows them, as it did up to release 0.2.0.',
  ]);
  // What is set for the symbol itself counts alone.
  await money.done([limit('alice', 'minBalance', -6, 'anew')]);
  const change = (amount: number) =>
    runSql(
      server.current.database.url,
      'update wallet_limit set amount = $2, version = version + 1 where symbol_luid = $1',
      [later, amount],
    );
  await change(-1_000);
  await money.done([transfer('alice', 'bob', 5, 'anew')]);
  await change(-6);
  expect(outlivedIn(await exported(server.current, client.ledger!))).toContainEqual(
    expect.stringMatching(/leaves -10 anew in alice, below its minimum of -6$/),
  );
});

it.each(['dropped', 'erased'])(
  'an import leaves out limits of a symbol that was %s, of exports of 0.2.0',
  async (how) => {
    const { money, client, luid } = await droppedSymbol(server.current.url, ['alice', 'bob']);
    const { url } = server.current.database;
    // Erasing takes the limits of the symbol along, which 0.2.0 did not.
    const [row] = await runSql<{ text: string }>(
      url,
      'select row_to_json(w)::text as text from wallet_limit w where symbol_luid = $1',
      [luid],
    );
    if (how === 'erased')
      await eventually(async () =>
        ok(await client.call('POST', `/symbols/${luid}/erase`, erasureOf(luid, 2, client.key))),
      );
    await money.done([limit('alice', 'minBalance', -7)]);
    const { luid: later } = await stored(client, 'symbol', { handle: 'anew', factor: 1 });
    await runSql(url, 'delete from wallet_limit where symbol_luid = $1', [luid]);
    const kept = JSON.stringify({ ...JSON.parse(row!.text), symbol_luid: later });
    await runSql(url, 'insert into wallet_limit select * from json_populate_record(null::wallet_limit, $1)', [kept]);
    const text = await exported(server.current, client.ledger!, { passphrase });
    expect(outlivedIn(text)).toEqual([
      '1 limits of symbols that are gone, which a release up to 0.2.0 has kept: an import leaves them out.',
    ]);
    const into = await startServer();
    try {
      expect(await imported(into, text, { passphrase })).toEqual([]);
      expect(await runSql(into.database.url, 'select symbol, amount::int from wallet_limit')).toEqual([
        { symbol: 'usd', amount: -7 },
      ]);
      expect(outlivedIn(await exported(into, client.ledger!))).toEqual([]);
    } finally {
      await into.stop();
    }
  },
);
