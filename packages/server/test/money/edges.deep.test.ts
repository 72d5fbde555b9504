import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { signed } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { checkBooks } from './invariants.js';
import { destroy, issue, limit, MoneyScene, transfer } from './scene.js';
import { balanceOf } from './under-way.js';

const server = withOwnServer();

afterEach(() => checkBooks(server.current.database.url));

const scene = (wallets: readonly (string | JsonObject)[] = ['alice', 'bob', 'carol']) =>
  MoneyScene.make(server.current.url, wallets);
const GREATEST = Number.MAX_SAFE_INTEGER;
const ROUNDS = process.env.LONG_TESTS ? 8 : 3;

describe('claims of every form', () => {
  it('of strings settle like those of objects, and are stored as sent', async () => {
    const money = await scene();
    const claims = [
      { action: 'issue', amount: 9, symbol: 'usd', target: 'alice' },
      { action: 'issue', amount: 1, symbol: { handle: 'usd' }, target: 'alice' },
    ];
    const handle = await money.done(claims);
    expect((await money.read(handle)).data.claims).toEqual(claims);
    await money.done([{ action: 'transfer', amount: 4, source: 'alice', symbol: 'usd', target: 'bob' }]);
    await money.done([{ action: 'destroy', amount: 1, source: 'bob', symbol: 'usd' }]);
    expect([await balanceOf(money, 'alice'), await balanceOf(money, 'bob')]).toEqual([
      [6, 0],
      [3, 0],
    ]);
  });

  it('a hundred settle together, or not at all', async () => {
    const money = await scene();
    await money.issue('alice', 100);
    const claims = Array.from({ length: 100 }, (_, n) => transfer('alice', n % 2 === 0 ? 'bob' : 'carol', 1));
    const handle = await money.done(claims);
    expect((await money.read(handle)).meta.proofs).toHaveLength(3 + 200 + 200 + 2 + 200 + 1);
    expect([await balanceOf(money, 'bob'), await balanceOf(money, 'carol')]).toEqual([[50], [50]]);
    await money.rejected(claims);
  });

  it('of 2^53 - 1 move whole, and no more than that is held', async () => {
    const money = await scene();
    await money.issue('alice', GREATEST);
    await money.issue('bob', 1);
    await money.rejected([transfer('bob', 'alice', 1)]);
    await money.done([transfer('alice', 'carol', GREATEST)]);
    await money.done([limit('alice', 'minBalance', -GREATEST)]);
    await money.done([limit('bob', 'maxBalance', GREATEST)]);
    await money.done([transfer('alice', 'bob', GREATEST - 1)]);
    expect(await balanceOf(money, 'alice')).toEqual([1 - GREATEST, 0]);
    await money.rejected([transfer('alice', 'bob', 2)]);
    await money.rejected([destroy('alice', 2), destroy('alice', GREATEST)]);
    await money.done([destroy('alice', 1)]);
    expect(await balanceOf(money, 'alice')).toEqual([-GREATEST, 0]);
  });

  it.each([
    [0, 422],
    [-1, 422],
    [1.5, 422],
    // A number that JSON does not hold exactly.
    [GREATEST + 1, 400],
  ])('of %d are refused', async (amount, status) => {
    const money = await scene();
    const { answer } = await money.send([issue('alice', amount)]);
    expect(answer.status).toBe(status);
  });

  it('from a wallet to itself need the money, and leave it', async () => {
    const money = await scene();
    await money.rejected([transfer('alice', 'alice', 1)]);
    await money.issue('alice', 5);
    await money.done([transfer('alice', 'alice', 5)]);
    await money.rejected([transfer('alice', 'alice', 6)]);
    expect(await balanceOf(money, 'alice')).toEqual([5, 0]);
  });

  it('on one wallet many times are one movement each way', async () => {
    const money = await scene();
    await money.issue('alice', 10);
    await money.done([transfer('alice', 'bob', 6), destroy('alice', 2), issue('alice', 3)]);
    expect([await balanceOf(money, 'alice'), await balanceOf(money, 'bob')]).toEqual([[5, 0], [6]]);
    // A wallet that only passes it on has to have it before.
    await money.rejected([transfer('alice', 'carol', 5), transfer('carol', 'bob', 5)]);
  });

  it('reach several symbols in one intent', async () => {
    const money = await scene();
    await stored(money.client, 'symbol', { handle: 'eur', factor: 1 });
    await money.done([issue('alice', 1), issue('alice', 2, 'eur')]);
    await money.rejected([transfer('alice', 'bob', 1), transfer('alice', 'bob', 3, 'eur')]);
    await money.done([transfer('alice', 'bob', 1), transfer('alice', 'bob', 2, 'eur')]);
    expect([await balanceOf(money, 'bob'), await balanceOf(money, 'bob', 'eur')]).toEqual([[1], [2]]);
  });
});

describe('intents that are sent twice', () => {
  it('at the same time move money once', async () => {
    const money = await scene();
    await money.issue('alice', 100);
    const body = signed({ handle: 'once', claims: [transfer('alice', 'bob', 1)] }, money.client.key);
    const others = Array.from({ length: 6 }, () =>
      signed({ handle: 'once', claims: [transfer('alice', 'carol', 2)] }, money.client.key),
    );
    const answers = await Promise.all(
      [...Array(12).fill(body), ...others].map((one) => money.client.call('POST', '/intents', one)),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    for (const status of statuses) expect([200, 201, 409]).toContain(status);
    const [mine] = await balanceOf(money, 'alice');
    expect([98, 99]).toContain(mine);
  });
});

describe('wallets that change while intents on them are under way', () => {
  it('an update in between loses nothing, and a route counts from then on', async () => {
    const money = await scene();
    await money.issue('alice', 200);
    let wallet = ok(await money.client.get('/wallets/bob')).body;
    let isOver = false;
    let n = 0;
    const updating = (async () => {
      for (; !isOver; n += 1) {
        const routes = n % 2 === 0 ? { routes: [{ action: 'credit', target: 'carol' }] } : {};
        wallet = ok(
          await money.client.update('/wallets/bob', wallet, { handle: 'bob', custom: { n }, ...routes }),
        ).body;
        // Without a rest, most of the time of transfers would be that of being prepared anew.
        await pause(5);
      }
    })();
    for (let round = 0; round < 5; round += 1) {
      const sent = await Promise.all(Array.from({ length: 20 }, () => money.send([transfer('alice', 'bob', 1)])));
      for (const { answer } of sent) expect(answer.status, answer.text).toBe(201);
    }
    isOver = true;
    await updating;
    expect(n).toBeGreaterThan(1);
    const [bob = 0] = await balanceOf(money, 'bob');
    const [carol = 0] = await balanceOf(money, 'carol');
    expect(bob + carol).toBe(100);
    expect(await balanceOf(money, 'alice')).toEqual([100, 0]);
  });

  it('a drop is refused, or what comes after it fails: no money is lost with a wallet', async () => {
    const money = await scene();
    await money.issue('alice', 200);
    for (let round = 0; round < ROUNDS; round += 1) {
      const handle = `w${round}`;
      const wallet = await stored(money.client, 'wallet', { handle });
      const [dropped, ...sent] = await Promise.all([
        money.client.drop(`/wallets/${handle}`, wallet),
        ...Array.from({ length: 6 }, () => money.send([transfer('alice', handle, 1)])),
      ]);
      const read = await Promise.all(sent.map((one) => money.read(one.handle)));
      const moved = read.filter(({ meta }) => meta.status === 'completed').length;
      expect([204, 422], dropped.text).toContain(dropped.status);
      if (dropped.status === 204) expect(moved).toBe(0);
      else expect(await balanceOf(money, handle)).toEqual([moved]);
    }
  });

  it('one made anew under the handle of a dropped one begins with nothing', async () => {
    const money = await scene();
    await money.issue('bob', 3);
    await money.done([transfer('bob', 'alice', 3)]);
    await money.done([limit('bob', 'maxBalance', 3)]);
    const wallet = ok(await money.client.get('/wallets/bob')).body;
    ok(await money.client.drop('/wallets/bob', wallet));
    expect(await money.rejected([transfer('alice', 'bob', 1)])).toMatchObject({ reason: 'core.routing-failed' });
    await stored(money.client, 'wallet', { handle: 'bob' });
    await money.issue('bob', 9);
    expect(await balanceOf(money, 'bob')).toEqual([9]);
  });
});
