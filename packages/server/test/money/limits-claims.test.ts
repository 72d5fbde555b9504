import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { withOwnServer } from '../support/server.js';
import { checkBooks } from './invariants.js';
import { destroy, issue, limit, MoneyScene, transfer } from './scene.js';
import { balanceOf, movedClock } from './under-way.js';

const clock = movedClock();
const server = withOwnServer({ runtime: clock });

afterEach(() => checkBooks(server.current.database.url));

const DAILY = { 'limits.aggregated.enabled': true };
const scene = (config: JsonObject = DAILY) =>
  MoneyScene.make(server.current.url, ['alice', 'bob', 'carol'], { config });
const COUNT = {
  detail: 'Daily transactions limit exceeded for wallet alice',
  reason: 'core.limit-exceeded',
  status: 'failed',
};
const AMOUNT = { ...COUNT, detail: 'Daily amount limit exceeded for wallet alice' };
const GREATEST = Number.MAX_SAFE_INTEGER;

describe('minBalance', () => {
  it.each([-20_000, 0, 5])('lets the balance go to %d, and not below', async (least) => {
    const money = await scene();
    await money.issue('alice', 10);
    await money.done([limit('alice', 'minBalance', least)]);
    expect(await money.rejected([transfer('alice', 'bob', 11 - least)])).toEqual({
      detail: `Amount ${least - 1} is less than minimum allowed amount ${least} for wallet alice, symbol usd, schema available`,
      reason: 'core.limit-exceeded',
      status: 'failed',
    });
    await money.done([transfer('alice', 'bob', 10 - least)]);
    await money.rejected([destroy('alice', 1)]);
    expect((await balanceOf(money, 'alice'))[0]).toBe(least);
  });

  it('sums the debits of an intent, and names the first in the order of claims', async () => {
    const money = await scene();
    await money.issue('alice', 3);
    await money.issue('bob', 1);
    expect(
      await money.rejected([transfer('bob', 'carol', 2), transfer('alice', 'carol', 2), transfer('alice', 'bob', 2)]),
    ).toMatchObject({
      detail: 'Amount -1 is less than minimum allowed amount 0 for wallet bob, symbol usd, schema available',
    });
    expect(await money.rejected([transfer('alice', 'carol', 2), transfer('alice', 'bob', 2)])).toMatchObject({
      detail: 'Amount -1 is less than minimum allowed amount 0 for wallet alice, symbol usd, schema available',
    });
  });
});

describe('maxBalance', () => {
  it('lets the balance rise to it, and not above; debits of the same intent do not help', async () => {
    const money = await scene();
    await money.done([limit('alice', 'maxBalance', 10)]);
    await money.issue('alice', 10);
    await money.rejected([issue('alice', 1)]);
    await money.rejected([destroy('alice', 1), issue('alice', 1)]);
    await money.done([destroy('alice', 1)]);
    await money.issue('alice', 1);
  });

  it('is 2^53 - 1 where none is set', async () => {
    const money = await scene();
    await money.issue('alice', GREATEST);
    expect(await money.rejected([issue('alice', 1)])).toEqual({
      detail: `Amount 9007199254740992 is greater than maximum allowed amount ${GREATEST} for wallet alice, symbol usd, schema available`,
      reason: 'core.limit-exceeded',
      status: 'failed',
    });
    await money.rejected([issue('bob', GREATEST), issue('bob', GREATEST)]);
    await money.done([transfer('alice', 'bob', GREATEST)]);
    await money.done([destroy('bob', GREATEST)]);
  });
});

describe('dailyCount', () => {
  it('allows so many intents a UTC day, either way, however many claims', async () => {
    clock.set('2031-03-01T22:00:00.000Z');
    const money = await scene();
    await money.issue('alice', 100);
    await money.issue('bob', 100);
    // The one that sets it counts.
    await money.done([limit('alice', 'dailyCount', 3)]);
    await money.done([transfer('alice', 'bob', 1), transfer('alice', 'carol', 1)]);
    await money.done([transfer('bob', 'alice', 1)]);
    expect(await money.rejected([transfer('bob', 'alice', 1)])).toEqual(COUNT);
    // Neither issues nor destroys count.
    await money.issue('alice', 1);
    await money.done([destroy('alice', 1)]);
    clock.set('2031-03-01T23:59:59.000Z');
    expect(await money.rejected([transfer('alice', 'bob', 1)])).toEqual(COUNT);
    clock.set('2031-03-02T00:00:00.000Z');
    for (let n = 0; n < 3; n += 1) await money.done([transfer('alice', 'bob', 1)]);
    expect(await money.rejected([transfer('alice', 'bob', 1)])).toEqual(COUNT);
  });

  it('goes on counting when it is raised, and counts that; rejected intents never count', async () => {
    const money = await scene();
    await money.issue('alice', 100);
    await money.done([limit('alice', 'dailyCount', 2)]);
    await money.done([transfer('alice', 'bob', 1)]);
    for (let n = 0; n < 3; n += 1) expect(await money.rejected([transfer('alice', 'bob', 1)])).toEqual(COUNT);
    await money.rejected([transfer('alice', 'bob', 1000)]);
    await money.done([limit('alice', 'dailyCount', 4)]);
    await money.done([transfer('alice', 'bob', 1)]);
    expect(await money.rejected([transfer('alice', 'bob', 1)])).toEqual(COUNT);
    // Any limit on the wallet and symbol counts.
    await money.done([limit('alice', 'dailyCount', 6)]);
    await money.done([limit('alice', 'minBalance', -5)]);
    expect(await money.rejected([transfer('alice', 'bob', 1)])).toEqual(COUNT);
  });

  it('counts the intent that sets it when that one transfers as well', async () => {
    const money = await scene();
    await money.issue('alice', 100);
    await money.done([limit('alice', 'dailyCount', 2), transfer('alice', 'bob', 1)]);
    await money.done([transfer('alice', 'bob', 1)]);
    expect(await money.rejected([transfer('alice', 'bob', 1)])).toEqual(COUNT);
  });

  it('counts a transfer to oneself once', async () => {
    const money = await scene();
    await money.issue('alice', 100);
    await money.done([limit('alice', 'dailyCount', 2)]);
    await money.done([transfer('alice', 'alice', 1)]);
    expect(await money.rejected([transfer('alice', 'alice', 1)])).toEqual(COUNT);
  });

  it('is a limit of one symbol', async () => {
    const money = await scene();
    await money.client.create('/symbols', { handle: 'eur', factor: 100 });
    await money.issue('alice', 1);
    await money.issue('alice', 1, 'eur');
    await money.done([limit('alice', 'dailyCount', 1)]);
    expect(await money.rejected([transfer('alice', 'bob', 1)])).toEqual(COUNT);
    await money.done([transfer('alice', 'bob', 1, 'eur')]);
  });
});

describe('dailyAmount', () => {
  it('sums what is transferred in and out on a UTC day', async () => {
    clock.set('2031-05-31T12:00:00.000Z');
    const money = await scene();
    await money.issue('alice', 100);
    await money.issue('bob', 100);
    await money.done([transfer('alice', 'bob', 50)]);
    await money.done([limit('alice', 'dailyAmount', 10)]);
    await money.done([transfer('alice', 'bob', 4), transfer('bob', 'alice', 1)]);
    expect(await money.rejected([transfer('bob', 'alice', 6)])).toEqual(AMOUNT);
    await money.done([transfer('bob', 'alice', 5)]);
    expect(await money.rejected([transfer('alice', 'bob', 1)])).toEqual(AMOUNT);
    await money.issue('alice', 1);
    await money.done([destroy('alice', 1)]);
    clock.set('2031-06-01T00:00:00.000Z');
    await money.done([transfer('alice', 'bob', 10)]);
    expect(await money.rejected([transfer('alice', 'bob', 1)])).toEqual(AMOUNT);
    // Raising it leaves what is used.
    await money.done([limit('alice', 'dailyAmount', 11)]);
    expect(await money.rejected([transfer('alice', 'bob', 2)])).toEqual(AMOUNT);
    await money.done([transfer('alice', 'bob', 1)]);
  });
});

describe('a clock that is stepped back', () => {
  it('neither turns back the moments of a ledger, nor gives the day before anew', async () => {
    clock.set('2031-08-02T00:00:01.000Z');
    const money = await scene();
    await money.issue('alice', 100);
    await money.done([limit('alice', 'dailyCount', 2)]);
    await money.done([transfer('alice', 'bob', 1)]);
    clock.set('2031-08-01T23:00:00.000Z');
    expect(await money.rejected([transfer('alice', 'bob', 1)])).toEqual(COUNT);
    const handle = await money.done([issue('bob', 1)]);
    const { meta } = await money.read(handle);
    for (const { custom } of meta.proofs.slice(3)) expect(custom.moment >= '2031-08-02T00:00:01.000Z').toBe(true);
  });
});

describe('daily limits where the ledger does not aggregate', () => {
  it.each([{}, { 'limits.aggregated.enabled': false }])(
    'are refused with %j, and nothing is stored',
    async (config) => {
      const money = await scene(config);
      for (const metric of ['dailyCount', 'dailyAmount']) {
        expect(await money.rejected([limit('alice', metric, 1)])).toEqual({
          detail: 'Ledger failed to commit intent',
          reason: 'core.unexpected-error',
          status: 'failed',
        });
      }
      expect((await money.client.get('/wallets/alice/limits')).body.page.total).toBe(0);
      await money.done([limit('alice', 'minBalance', -1)]);
    },
  );
});

describe('an intent that sets a limit', () => {
  it('has the trail of an issue without entries, and one row per metric', async () => {
    const money = await scene();
    const handle = await money.done([limit('alice', 'minBalance', -1)]);
    expect((await money.trail(handle)).map(([signer, { status, detail }]) => [signer, status, detail])).toEqual([
      ['system', 'prepared', undefined],
      ['system', 'committed', 'awaiting-clearance'],
      ['system', 'committed', 'cleared'],
      ['system', 'completed', undefined],
    ]);
    await money.done([limit('alice', 'minBalance', -2), limit('alice', 'maxBalance', 5)]);
    const { body } = await money.client.get('/wallets/alice/limits');
    expect(body.data.map(({ data }: { data: JsonObject }) => [data.metric, data.amount])).toEqual([
      ['maxBalance', 5],
      ['minBalance', -2],
    ]);
  });

  it('makes a row of 0 without parent for a limit on the balance, none for a daily one, and saves an existing one again', async () => {
    const money = await scene();
    const rows = async (wallet: string) => (await money.client.get(`/wallets/${wallet}/balances`)).body.data;
    await money.done([limit('alice', 'dailyCount', 9)]);
    expect(await rows('alice')).toEqual([]);
    await money.done([limit('alice', 'minBalance', 0)]);
    expect((await rows('alice')).map((row: { data: JsonObject }) => row.data)).toEqual([
      { wallet: 'alice', symbol: 'usd', schema: 'available', amount: 0 },
    ]);
    await money.issue('bob', 3);
    const [before] = await rows('bob');
    expect(before.data.parent).toBeUndefined();
    clock.move(1_000);
    await money.done([limit('bob', 'maxBalance', 5)]);
    const [after] = await rows('bob');
    expect(after).toMatchObject({ luid: before.luid, data: { ...before.data, parent: '' } });
    expect(after.meta.moment > before.meta.moment).toBe(true);
  });
});

it('holds at N under concurrency, and not at N + 1', async () => {
  const money = await scene();
  await money.issue('alice', 1_000);
  await money.done([limit('alice', 'dailyCount', 11)]);
  const many = (claims: JsonObject[]) =>
    Promise.all(
      Array.from({ length: 30 }, () => money.send(claims, { custom: { n: randomBytes(4).toString('hex') } })),
    );
  const statuses = async (sent: readonly { handle: string }[]) => {
    const read = await Promise.all(sent.map(({ handle }) => money.read(handle)));
    return read.filter(({ meta }) => meta.status === 'completed').length;
  };
  expect(await statuses(await many([transfer('alice', 'bob', 1)]))).toBe(10);
  await money.done([limit('bob', 'maxBalance', 27)]);
  expect(await statuses(await many([issue('bob', 1)]))).toBe(17);
});
