import { afterEach, describe, expect, it } from 'vitest';
import { exported, linesIn, verified } from '../archive/support.js';
import { expectList } from '../support/checks.js';
import { ok } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { checkBooks } from './invariants.js';
import { destroy, issue, limit, MoneyScene, transfer } from './scene.js';

const server = withOwnServer();

afterEach(() => checkBooks(server.current.database.url));

const scene = () =>
  MoneyScene.make(server.current.url, ['alice', 'bob'], { config: { 'limits.aggregated.enabled': true } });

/** Drops the symbol, and makes it anew under its handle. */
async function remake({ client }: MoneyScene, factor: number): Promise<void> {
  ok(await client.drop('/symbols/usd', ok(await client.get('/symbols/usd')).body));
  ok(await client.create('/symbols', { handle: 'usd', factor }));
}

describe('the limits of a symbol end with it (interface/wallets#limits)', () => {
  it('an overdraft is none in the symbol that was made anew', async () => {
    const money = await scene();
    await money.done([limit('alice', 'minBalance', -1_000)]);
    await money.done([transfer('alice', 'bob', 10)]);
    await money.done([transfer('bob', 'alice', 10)]);
    await remake(money, 1);
    expectList(await money.client.get('/wallets/alice/limits'), money.client, { index: 0, limit: 20, total: 0 });
    expect(await money.rejected([transfer('alice', 'bob', 1)])).toMatchObject({
      detail: 'Amount -1 is less than minimum allowed amount 0 for wallet alice, symbol usd, schema available',
    });
    // Its export knows that a limit has ended, and that a minimum has.
    const text = await exported(server.current, money.client.ledger!);
    expect(verified(text).told).toEqual([]);
    expect(linesIn(text).filter((line) => line.startsWith('{"line":"limit"'))).toEqual([]);
  });

  it('a minimum above 0 is none, either', async () => {
    const money = await scene();
    await money.issue('alice', 500);
    await money.done([limit('alice', 'minBalance', 400)]);
    await money.done([limit('alice', 'minBalance', 0)]);
    await money.done([destroy('alice', 500)]);
    await money.done([limit('alice', 'minBalance', 400)]);
    await remake(money, 1);
    await money.issue('alice', 10);
    await money.done([transfer('alice', 'bob', 4)]);
    expect(verified(await exported(server.current, money.client.ledger!)).told).toEqual([]);
  });

  it('the count of a day begins anew with a limit that is set anew', async () => {
    const money = await scene();
    const daily = () => money.done([limit('alice', 'dailyCount', 3)]);
    await daily();
    await money.issue('alice', 10);
    for (const round of [1, 2]) {
      // It has counted the intent that has set it.
      await money.done([transfer('alice', 'bob', 2)]);
      await money.done([transfer('bob', 'alice', 2)]);
      expect(await money.rejected([transfer('alice', 'bob', 1)])).toMatchObject({
        detail: 'Daily transactions limit exceeded for wallet alice',
      });
      if (round === 2) break;
      await money.done([destroy('alice', 10)]);
      await remake(money, 1);
      await money.issue('alice', 10);
      for (let n = 0; n < 3; n += 1) await money.done([transfer('alice', 'alice', 1)]);
      await daily();
    }
    const text = await exported(server.current, money.client.ledger!);
    expect(verified(text).told).toEqual([]);
  });

  it('a factor can be chosen anew where only limits of the earlier symbol are left', async () => {
    const money = await scene();
    await money.done([limit('alice', 'dailyAmount', 5)]);
    await remake(money, 1);
    const made = ok(await money.client.get('/symbols/usd')).body;
    ok(await money.client.update('/symbols/usd', made, { handle: 'usd', factor: 1_000 }));
    await money.done([issue('alice', 1_000)]);
  });
});
