import type { JsonObject } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { systemKeyOf } from '../support/client.js';
import { stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { checkBooks } from './invariants.js';
import { issue, limit, MoneyScene, transfer } from './scene.js';
import { balanceOf, failureOf } from './under-way.js';

const server = withOwnServer();

afterEach(() => checkBooks(server.current.database.url));

const forward = (handle: string, target: string): JsonObject => ({ handle, routes: [{ action: 'forward', target }] });

// biome-ignore lint/suspicious/noExplicitAny: tests reach into records
async function threadOf(money: MoneyScene, handle: string): Promise<any[]> {
  const { meta } = await money.read(handle);
  const { body } = await money.client.get('/intents?page.limit=100');
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
  const thread = body.data.filter((one: any) => one.meta.thread === meta.thread);
  // By what each has made: all of a thread may be of one millisecond.
  const [first] = thread.filter(({ data }: { data: JsonObject }) => data.origin === undefined);
  const ordered = [first];
  for (const { data } of ordered) {
    ordered.push(...thread.filter((one: { data: JsonObject }) => one.data.origin === data.handle));
  }
  return ordered;
}

describe('an intent that credits a wallet with a forward route', () => {
  it('names the domains of its wallets in the one that follows', async () => {
    const money = await MoneyScene.make(server.current.url, ['alice']);
    for (const handle of ['shop', 'bank']) await stored(money.client, 'domain', { handle });
    await money.add(['bob@shop', forward('fwd@bank', 'bob@shop')]);
    await money.issue('alice', 10);
    const [first, second] = await threadOf(money, await money.done([transfer('alice', 'fwd@bank', 8)]));
    expect([first.meta.domains, second.meta.domains]).toEqual([['bank'], ['bank', 'shop']]);
  });

  it('is followed by one of the ledger, in the same thread, and both complete', async () => {
    const money = await MoneyScene.make(server.current.url, ['alice', 'bob', forward('fwd', 'bob')]);
    await money.issue('alice', 10);
    const access = [{ action: 'any', record: 'any' }];
    const handle = await money.done([transfer('alice', 'fwd', 8)], { access });
    const [first, second, ...more] = await threadOf(money, handle);
    expect(more).toEqual([]);
    expect(first.data.handle).toBe(handle);
    expect(second.data).toEqual({
      handle: expect.stringMatching(/^[A-Za-z0-9]{17}$/),
      claims: [transfer('fwd', 'bob', 8)],
      access,
      origin: handle,
    });
    const system = systemKeyOf(money.client);
    expect(second.meta).toMatchObject({ status: 'completed', routed: true, owners: [system] });
    const [bare, , named] = second.meta.proofs;
    expect(Object.keys(bare).sort()).toEqual(['custom', 'digest', 'method', 'public', 'result']);
    expect(bare.custom.status).toBe('created');
    expect(named.custom.luid).toBe(second.luid);
    // No proofs of the core, though it debits.
    expect((await money.trail(second.data.handle)).map(([signer, said]) => [signer, said.status, said.schema])).toEqual(
      [
        ['system', 'resolved', 'debit'],
        ['system', 'resolved', 'credit'],
        ['system', 'prepared', undefined],
        ['system', 'committed', undefined],
        ['system', 'committed', undefined],
        ['system', 'completed', undefined],
      ],
    );
    expect(await balanceOf(money, 'bob')).toEqual([8]);
    // Nothing is reserved where it only passes.
    expect(await balanceOf(money, 'fwd')).toEqual([0]);
    expect(await balanceOf(money, 'alice')).toEqual([2, 0]);
  });

  it('commits first, and each that follows after the one that made it', async () => {
    const money = await MoneyScene.make(server.current.url, [
      'alice',
      'bob',
      forward('f2', 'bob'),
      forward('f1', 'f2'),
    ]);
    const handle = await money.done([issue('f1', 5)]);
    const thread = await threadOf(money, handle);
    expect(thread.map(({ meta }) => meta.status)).toEqual(['completed', 'completed', 'completed']);
    expect(thread.map(({ data }) => data.origin)).toEqual([undefined, handle, thread[1].data.handle]);
    expect(await balanceOf(money, 'bob')).toEqual([5]);
  });

  it('fails as one, for the same reason', async () => {
    const money = await MoneyScene.make(server.current.url, ['alice', 'bob', forward('fwd', 'bob')]);
    await money.issue('alice', 10);
    await money.done([limit('bob', 'maxBalance', 7)]);
    const handle = await money.intend([transfer('alice', 'fwd', 8)]);
    const thread = await threadOf(money, handle);
    expect(thread.map(({ meta }) => meta.status)).toEqual(['rejected', 'rejected']);
    const [reason, same] = thread.map(failureOf);
    expect(reason).toEqual({
      detail: 'Amount 8 is greater than maximum allowed amount 7 for wallet bob, symbol usd, schema available',
      reason: 'core.limit-exceeded',
      status: 'failed',
    });
    expect(same).toEqual(reason);
    // What the first has reserved is released.
    expect(await balanceOf(money, 'alice')).toEqual([10, 0]);
    const trail = await money.trail(handle);
    expect(trail.filter(([signer, { status }]) => signer === 'core' && status === 'aborted')).toHaveLength(2);
    expect(trail.at(-1)).toEqual(['system', { status: 'rejected' }]);
  });

  it('fails with it where the address leads nowhere', async () => {
    const money = await MoneyScene.make(server.current.url, ['alice', forward('fwd', 'nobody')]);
    await money.issue('alice', 10);
    expect(await money.rejected([transfer('alice', 'fwd', 8)])).toMatchObject({ reason: 'core.routing-failed' });
    expect(await balanceOf(money, 'alice')).toEqual([10, 0]);
  });

  it('has a thread of ten at most', async () => {
    const chain = (length: number) =>
      Array.from({ length }, (_, at) => forward(`f${at}`, at === 0 ? 'bob' : `f${at - 1}`));
    const money = await MoneyScene.make(server.current.url, ['alice', 'bob', ...chain(10)]);
    const handle = await money.done([issue('f8', 1)]);
    expect(await threadOf(money, handle)).toHaveLength(10);
    const failed = await money.intend([issue('f9', 1)]);
    const thread = await threadOf(money, failed);
    expect(thread).toHaveLength(10);
    for (const one of thread) {
      expect(failureOf(one)).toEqual({
        detail: 'Thread size exceeded the maximum of 10',
        reason: 'core.thread-size-exceeded',
        status: 'failed',
      });
      expect(one.meta.status).toBe('rejected');
    }
    expect(await balanceOf(money, 'bob')).toEqual([1]);
  });

  it('ends a loop', async () => {
    const money = await MoneyScene.make(server.current.url, [forward('a', 'b'), forward('b', 'a')]);
    expect(await money.rejected([issue('a', 1)])).toMatchObject({ reason: 'core.thread-size-exceeded' });
    expect(await balanceOf(money, 'a')).toEqual([]);
  });

  it('keeps within limits what several of a thread credit together', async () => {
    const money = await MoneyScene.make(server.current.url, ['bob', forward('f1', 'bob'), forward('f2', 'bob')]);
    await money.done([limit('bob', 'maxBalance', 10)]);
    expect(await money.rejected([issue('f1', 6), issue('f2', 5)])).toMatchObject({
      detail: 'Amount 11 is greater than maximum allowed amount 10 for wallet bob, symbol usd, schema available',
    });
    expect(await money.rejected([issue('f1', 6), issue('bob', 5)])).toMatchObject({ reason: 'core.limit-exceeded' });
    await money.done([issue('f1', 6), issue('f2', 4)]);
    expect(await balanceOf(money, 'bob')).toEqual([10]);
  });

  it('has room for what the first intent has reserved', async () => {
    const money = await MoneyScene.make(server.current.url, ['bob', forward('fwd', 'bob')]);
    await money.issue('bob', 5);
    await money.done([limit('bob', 'maxBalance', 5)]);
    await money.rejected([transfer('bob', 'bob', 1)]);
    await money.done([transfer('bob', 'fwd', 1)]);
    expect(await balanceOf(money, 'bob')).toEqual([5, 0]);
  });

  it('counts against daily limits what several of a thread move together', async () => {
    const config = { 'limits.aggregated.enabled': true };
    const wallets = ['alice', 'bob', forward('f1', 'bob'), forward('f2', 'bob')];
    const money = await MoneyScene.make(server.current.url, wallets, { config });
    await money.issue('alice', 100);
    await money.done([limit('bob', 'dailyAmount', 10)]);
    expect(await money.rejected([transfer('alice', 'f1', 6), transfer('alice', 'f2', 5)])).toMatchObject({
      detail: 'Daily amount limit exceeded for wallet bob',
    });
    await money.done([transfer('alice', 'f1', 6), transfer('alice', 'f2', 4)]);
    expect(await money.rejected([transfer('alice', 'f1', 1)])).toMatchObject({ reason: 'core.limit-exceeded' });
  });

  it('does not count against daily limits when it fails after it was reserved', async () => {
    const config = { 'limits.aggregated.enabled': true };
    const money = await MoneyScene.make(server.current.url, ['alice', 'bob', forward('fwd', 'bob')], { config });
    await money.issue('alice', 100);
    await money.done([limit('bob', 'maxBalance', 5)]);
    await money.done([limit('alice', 'dailyCount', 2)]);
    await money.done([limit('alice', 'dailyAmount', 10)]);
    await money.done([limit('alice', 'dailyCount', 5)]);
    for (let n = 0; n < 4; n += 1) await money.rejected([transfer('alice', 'fwd', 6)]);
    // Three intents have set limits.
    await money.done([transfer('alice', 'fwd', 3)]);
    await money.done([transfer('alice', 'fwd', 2)]);
    expect(await money.rejected([transfer('alice', 'alice', 1)])).toMatchObject({
      detail: 'Daily transactions limit exceeded for wallet alice',
    });
  });
});
