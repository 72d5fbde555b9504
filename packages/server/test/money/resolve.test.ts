import type { JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { UNBOUNDED } from '../../src/metering/task.js';
import { resolveIntent } from '../../src/money/plan/resolve.js';
import {
  destroy,
  issue,
  limit,
  makeDirectory,
  resolve,
  resolved,
  routes,
  routingFailure,
  transfer,
} from './directory.js';

/** Each entry of the resolved claims as one text. */
async function entriesOf(claims: readonly JsonObject[], wallets: Readonly<Record<string, JsonObject>>, more = {}) {
  const { entries } = resolved(await resolve(claims, makeDirectory(wallets), more));
  return entries.map(({ side, claim, wallet, forwardTo }) => {
    return `${claim} ${side} ${wallet}${forwardTo === undefined ? '' : ` then ${forwardTo}`}`;
  });
}

describe('entries', () => {
  const wallets = { alice: {}, bob: { bridge: 'bank' } };

  it('are made by the order of claims, debit before credit', async () => {
    const claims = [transfer('alice', 'bob'), issue('alice'), limit('bob'), destroy('bob'), transfer('bob', 'alice')];
    expect(await entriesOf(claims, wallets)).toEqual([
      '0 debit alice',
      '0 credit bob',
      '1 credit alice',
      '3 debit bob',
      '4 debit bob',
      '4 credit alice',
    ]);
  });

  it('say wallet, symbol, amount, and the bridge of the wallet', async () => {
    const { entries, limits } = resolved(await resolve([transfer('alice', 'bob')], makeDirectory(wallets)));
    const same = { claim: 0, symbol: 'usd', amount: 7 };
    expect(entries).toEqual([
      { handle: expect.any(String), side: 'debit', wallet: 'alice', luid: '$wlt.alice', ...same },
      { handle: expect.any(String), side: 'credit', wallet: 'bob', luid: '$wlt.bob', bridge: 'bank', ...same },
    ]);
    expect(limits).toEqual([]);
  });

  it('have handles of their own, of 17 letters and digits', async () => {
    const { entries } = resolved(await resolve(Array(100).fill(transfer('alice', 'bob')), makeDirectory(wallets)));
    const handles = entries.map(({ handle }) => handle);
    expect(new Set(handles).size).toBe(200);
    for (const { side, handle } of entries) {
      expect(handle).toMatch(side === 'debit' ? /^deb_[A-Za-z0-9]{17}$/ : /^cre_[A-Za-z0-9]{17}$/);
    }
  });

  it('have handles of which every character is as likely: 62 of them, four bytes each', async () => {
    let drawn = 0;
    // Each byte in turn: those that would favour the first characters are left out.
    const random = (count: number) => Uint8Array.from({ length: count }, () => drawn++ % 256);
    const counts = new Map<string, number>();
    const claims = Array(100).fill(issue('alice'));
    while (drawn < 17 * 256 * 4) {
      const { entries } = resolved(
        await resolveIntent({ handle: 'i', claims }, makeDirectory(wallets), random, UNBOUNDED),
      );
      for (const character of entries.flatMap(({ handle }) => [...handle.slice(4)])) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    const most = Math.max(...counts.values());
    expect(counts.size).toBe(62);
    for (const count of counts.values()) expect(count).toBeGreaterThan(most - 5);
  });

  it('are none of a claim that sets a limit', async () => {
    const claims = [limit('tel:1', { metric: 'dailyCount', amount: -3 })];
    const { entries, limits, needs } = resolved(await resolve(claims, makeDirectory({ tel: { bridge: 'x' } })));
    expect(entries).toEqual([]);
    const set = { claim: 0, wallet: 'tel', luid: '$wlt.tel', symbol: 'usd', metric: 'dailyCount', amount: -3 };
    expect(limits).toEqual([set]);
    expect(needs.map(({ handle }) => handle)).toEqual(['tel', 'usd']);
  });

  it('ignore routes where a limit is set', async () => {
    const wallet = routes({ action: 'debit', target: 'bob' }, { action: 'credit', target: 'bob' });
    const { limits } = resolved(await resolve([limit('w')], makeDirectory({ w: wallet, bob: {} })));
    expect(limits.map(({ wallet }) => wallet)).toEqual(['w']);
  });

  it('are the same where claims name handles alone', async () => {
    const claims = [{ action: 'transfer', source: 'alice', target: 'bob', symbol: 'usd', amount: 7 }];
    expect(await entriesOf(claims, wallets)).toEqual(['0 debit alice', '0 credit bob']);
    const set = { action: 'limit', wallet: 'bob', symbol: 'usd', amount: 7, metric: 'maxBalance' };
    expect(resolved(await resolve([set], makeDirectory(wallets))).limits).toMatchObject([{ wallet: 'bob' }]);
  });
});

describe('addresses', () => {
  it.each([
    ['account:105@hpb', ['hpb'], 'hpb'],
    ['account:105@hpb', ['account', 'hpb'], 'hpb'],
    ['account:105@hpb', ['account@hpb', 'hpb', 'account'], 'account@hpb'],
    ['account:105@hpb', ['account:105@hpb', 'account@hpb', 'hpb'], 'account:105@hpb'],
    ['tel:152', ['tel'], 'tel'],
    ['tel:152', ['152', 'tel'], 'tel'],
    ['loan:42@hpb', ['loan@hpb'], 'loan@hpb'],
    ['loan:42@hpb', ['loan'], 'loan'],
    ['a@hpb', ['hpb'], 'hpb'],
  ])('%s among %j leads to %s', async (address, handles, expected) => {
    const wallets = Object.fromEntries([...handles, 'bob'].map((handle) => [handle, {}]));
    const claims = [transfer(address, 'bob'), issue(address), destroy(address)];
    expect(await entriesOf(claims, wallets)).toEqual([
      `0 debit ${expected}`,
      '0 credit bob',
      `1 credit ${expected}`,
      `2 debit ${expected}`,
    ]);
  });

  it('that lead nowhere fail, with the whole address as parent', async () => {
    const directory = makeDirectory({ bob: {}, 105: {} });
    const nowhere = 'account:105@hpb - does not resolve to any existing wallet. Parent wallet: account:105@hpb';
    const source = `Source wallet not resolved for the address ${nowhere}`;
    const target = `Target wallet not resolved for the address ${nowhere}`;
    expect(routingFailure(await resolve([transfer('account:105@hpb', 'bob')], directory))).toBe(source);
    expect(routingFailure(await resolve([destroy('account:105@hpb')], directory))).toBe(source);
    expect(routingFailure(await resolve([transfer('bob', 'account:105@hpb')], directory))).toBe(target);
    expect(routingFailure(await resolve([issue('account:105@hpb')], directory))).toBe(target);
    const limited = `Wallet not resolved for the address ${nowhere}`;
    expect(routingFailure(await resolve([limit('account:105@hpb')], directory))).toBe(limited);
  });

  it('are of wallets: a symbol is named by its handle', async () => {
    const unknown = { reason: 'core.symbol-invalid', detail: 'Symbol tel:usd not found.' };
    for (const claim of [issue('bob'), destroy('bob'), transfer('bob', 'bob'), limit('bob')]) {
      const resolution = await resolve([{ ...claim, symbol: { handle: 'tel:usd' } }], makeDirectory({ bob: {} }));
      expect(resolution).toMatchObject({ failure: unknown });
    }
  });
});

describe('the first failure', () => {
  const directory = makeDirectory({
    bob: {},
    shut: routes({ action: 'credit', filter: { amount: 0 }, target: 'bob' }),
  });
  const cases: [string, JsonObject[], string][] = [
    ['source, target and symbol', [transfer('x', 'y', { symbol: { handle: 'z' } })], 'Source wallet not resolved'],
    ['target and symbol', [transfer('bob', 'y', { symbol: { handle: 'z' } })], 'Target wallet not resolved'],
    ['route and symbol', [issue('shut', { symbol: { handle: 'z' } })], 'No matching out route'],
    ['wallet and symbol', [limit('x', { symbol: { handle: 'z' } })], 'Wallet not resolved'],
    ['a symbol, then a wallet', [issue('bob', { symbol: { handle: 'z' } }), destroy('x')], 'Symbol z not found.'],
    [
      'a wallet, then a symbol',
      [destroy('x'), issue('bob', { symbol: { handle: 'z' } })],
      'Source wallet not resolved',
    ],
  ];

  it.each(cases)('of %s is told', async (_, claims, detail) => {
    const resolution = await resolve(claims, directory);
    expect('failure' in resolution && resolution.failure.detail.startsWith(detail), JSON.stringify(resolution)).toBe(
      true,
    );
  });

  it('rests on what was found before', async () => {
    const resolution = await resolve([transfer('bob', 'bob'), issue('none')], directory);
    expect(resolution.needs.map(({ kind, handle }) => `${kind} ${handle}`)).toEqual(['wallet bob', 'symbol usd']);
  });
});

describe('what it rests on', () => {
  it('is each record once, wallets on the way too, by luid and change', async () => {
    const wallets = {
      a: routes({ action: 'debit', target: 'b' }),
      b: routes({ action: 'debit', target: 'c' }),
      c: {},
      d: routes({ action: 'accept' }),
    };
    const directory = makeDirectory(wallets);
    const { needs } = resolved(await resolve([transfer('a', 'd'), transfer('b', 'd'), issue('c')], directory));
    expect(needs).toEqual([
      ...['a', 'b', 'c', 'd'].map((handle) => ({ kind: 'wallet', handle, luid: `$wlt.${handle}`, change: 3 })),
      { kind: 'symbol', handle: 'usd', luid: '$sym.usd', change: 3 },
    ]);
  });

  it('is looked up once', async () => {
    const directory = makeDirectory({ a: routes({ action: 'credit', target: 'b' }), b: {} });
    resolved(
      await resolve([...Array(100).fill(transfer('b', 'a')), ...Array(9).fill(transfer('a', 'x@b'))], directory),
    );
    expect(directory.looked.toSorted()).toEqual(['sym usd', 'wlt a', 'wlt b', 'wlt x@b']);
  });
});

describe('an intent that forwards', () => {
  it('is debited from its source itself, whatever routes that has', async () => {
    const wallets = {
      fwd: routes({ action: 'debit', target: 'victim' }, { action: 'forward', target: 'bob' }),
      victim: {},
      bob: routes({ action: 'credit', target: 'till' }),
      till: {},
    };
    expect(await entriesOf([transfer('fwd', 'bob')], wallets)).toEqual(['0 debit victim', '0 credit till']);
    expect(await entriesOf([transfer('fwd', 'bob')], wallets, { origin: 'i-1' })).toEqual([
      '0 debit fwd',
      '0 credit till',
    ]);
    const gone = await resolve([transfer('gone', 'bob')], makeDirectory(wallets), { origin: 'i-1' });
    expect(routingFailure(gone)).toMatch(/^Source wallet not resolved/);
  });
});
