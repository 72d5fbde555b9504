import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { LedgerTask } from '../../src/metering/task.js';
import { resolveIntent } from '../../src/money/plan/resolve.js';
import { rowsOf, section } from '../support/documents.js';
import { destroy, issue, makeDirectory, resolve, resolved, routes, routingFailure, transfer } from './directory.js';

type Wallets = Readonly<Record<string, JsonObject>>;

async function walletsOf(claim: JsonObject, wallets: Wallets): Promise<string[]> {
  const { entries } = resolved(await resolve([claim], makeDirectory(wallets)));
  return entries.map(({ wallet, forwardTo }) => (forwardTo === undefined ? wallet : `${wallet} then ${forwardTo}`));
}

async function failureOf(claim: JsonObject, wallets: Wallets): Promise<string> {
  return routingFailure(await resolve([claim], makeDirectory(wallets)));
}

describe('a route', () => {
  it.each<[title: string, JsonObject, string[]]>([
    ['none: the wallet itself', {}, ['w', 'w']],
    ['none in an empty list', routes(), ['w', 'w']],
    ['debit is about the source', routes({ action: 'debit', target: 'to' }), ['to', 'w']],
    ['move is about the target', routes({ action: 'credit', target: 'to' }), ['w', 'to']],
    ['accept is about the target', routes({ action: 'accept' }), ['w', 'w']],
    ['accept leads nowhere else', routes({ action: 'accept', target: 'to' }), ['w', 'w']],
    ['forward: the wallet takes it first', routes({ action: 'forward', target: 'x:1@to' }), ['w', 'w then x:1@to']],
    ['forward may lead to what is not there', routes({ action: 'forward', target: 'gone' }), ['w', 'w then gone']],
    [
      'the first that matches counts',
      routes(
        { action: 'credit', target: 'no', filter: { amount: 8 } },
        { action: 'credit', target: 'to', filter: { amount: 7 } },
        { action: 'accept' },
      ),
      ['w', 'to'],
    ],
    ['a target may be an address', routes({ action: 'credit', target: 'acc:1@to' }), ['w', 'to']],
    [
      'without a target it leads nowhere, and the next counts',
      routes({ action: 'credit' }, { action: 'debit' }, { action: 'forward' }, { action: 'accept' }, TO_DEBIT()),
      ['to', 'w'],
    ],
  ])('%s', async (_, wallet, expected) => {
    expect(await walletsOf(transfer('w', 'w'), { w: wallet, to: {} })).toEqual(expected);
  });

  it('holds for issues and destroys, too', async () => {
    const wallets = {
      w: routes({ action: 'debit', target: 'in' }, { action: 'credit', target: 'out' }),
      in: {},
      out: {},
    };
    expect(await walletsOf(issue('w'), wallets)).toEqual(['out']);
    expect(await walletsOf(destroy('w'), wallets)).toEqual(['in']);
  });

  it.each(['credit', 'accept', 'forward'])(
    '%s that does not match leaves a side with routes without one',
    async (action) => {
      const wallets = { w: routes({ action, target: 'to', filter: { amount: 8 } }), to: {} };
      expect(await failureOf(issue('w'), wallets)).toBe('No matching out route found for intent i.');
      expect(await walletsOf(destroy('w'), wallets)).toEqual(['w']);
    },
  );

  it('debit that does not match leaves that side without one', async () => {
    const wallets = { w: routes({ action: 'debit', target: 'to', filter: { amount: 8 } }), to: {} };
    expect(await failureOf(destroy('w'), wallets)).toBe('No matching in route found for intent i.');
    expect(await walletsOf(issue('w'), wallets)).toEqual(['w']);
  });

  it('without a target leaves a side with routes, too', async () => {
    expect(await failureOf(destroy('w'), { w: routes({ action: 'debit' }) })).toBe(
      'No matching in route found for intent i.',
    );
  });

  it('whose target is missing fails, and names the wallet with the route', async () => {
    const end = 'not resolved for the address acc:1@gone - does not resolve to any existing wallet. Parent wallet: mid';
    const mid = routes({ action: 'debit', target: 'acc:1@gone' }, { action: 'credit', target: 'acc:1@gone' });
    const wallets = { w: routes({ action: 'debit', target: 'mid' }, { action: 'credit', target: 'mid' }), mid };
    expect(await failureOf(issue('w'), wallets)).toBe(`Credit routed wallet ${end}`);
    expect(await failureOf(destroy('w'), wallets)).toBe(`Debit routed wallet ${end}`);
  });
});

function TO_DEBIT(): JsonObject {
  return { action: 'debit', target: 'to' };
}

describe('the filter of a route', () => {
  const claim = transfer('w', 'w', { custom: { tags: ['fee', 'tax'] } });

  it.each<[JsonObject, boolean]>([
    [{}, true],
    [{ 'symbol.handle': 'usd' }, true],
    [{ 'symbol.handle': 'eur' }, false],
    [{ 'symbol.handle': 'usd', amount: 7 }, true],
    [{ 'symbol.handle': 'usd', amount: 8 }, false],
    [{ amount: { $gte: 7, $lt: 8 } }, true],
    [{ amount: { $gt: 7 } }, false],
    [{ action: { $in: ['issue', 'transfer'] } }, true],
    [{ action: { $nin: ['issue', 'transfer'] } }, false],
    [{ 'target.handle': 'w' }, true],
    [{ 'target.handle': { $ne: 'w' } }, false],
    [{ 'custom.tags': 'tax' }, true],
    [{ 'custom.none': { $ne: 'x' } }, false],
    [{ amount: { $unknown: 7 } }, false],
  ])('%j: %s', async (filter, isMet) => {
    const wallets = { w: routes({ action: 'credit', target: 'to', filter }, { action: 'accept' }), to: {} };
    expect(await walletsOf(claim, wallets)).toEqual(['w', isMet ? 'to' : 'w']);
  });

  it('sees a claim of handles alone in its object form', async () => {
    const filter = { 'target.handle': 'w', 'source.handle': 'bob', 'symbol.handle': 'usd' };
    const wallets = { w: routes({ action: 'credit', target: 'to', filter }), to: {}, bob: {} };
    const plain = { action: 'transfer', source: 'bob', target: 'w', symbol: 'usd', amount: 1 };
    expect(await walletsOf(plain, wallets)).toEqual(['bob', 'to']);
  });

  it('sees the claim as it was sent, on every wallet on the way', async () => {
    const filter = { 'target.handle': 'w' };
    const wallets = { w: routes({ action: 'credit', target: 'mid' }), mid: routes({ action: 'accept', filter }) };
    expect(await walletsOf(issue('w'), wallets)).toEqual(['mid']);
  });

  /** A filter of so many paths, which a claim with as many members matches, and one that matches but for its last. */
  const longFilters = (count: number) => {
    const names = Array.from({ length: count }, (_, index) => `m${index}`);
    const filter = Object.fromEntries(names.map((name) => [`custom.${name}`, 1]));
    const custom = Object.fromEntries(names.map((name) => [name, 1]));
    return { filter, other: { ...filter, amount: 0 }, claim: issue('w', { custom }) };
  };
  const resolveMetered = (claim: JsonObject, ...all: JsonObject[]) => {
    const task = new LedgerTask(
      { charge() {}, move() {}, turn: () => undefined },
      { used: 0, since: 0, waiting: [] },
      () => false,
    );
    const directory = makeDirectory({
      w: routes(...all.map((filter) => ({ action: 'credit', target: 'to', filter }))),
      to: {},
    });
    return resolveIntent({ handle: 'i', claims: [claim] }, directory, randomBytes, task);
  };

  it('costs steps, of which each route may take so many', async () => {
    const { other, filter, claim } = longFilters(20_000);
    expect(await resolveMetered(claim, other, other, filter)).toMatchObject({ entries: [{ wallet: 'to' }] });
    const longer = longFilters(40_000);
    await expect(resolveMetered(longer.claim, longer.filter)).rejects.toMatchObject({ reason: 'auth.forbidden' });
  });
});

/** Wallets that lead on to each other: `w0` to `w1`, and so on. */
function chain(action: 'debit' | 'credit', targets: readonly string[]): Wallets {
  return Object.fromEntries(targets.map((target, index) => [`w${index}`, routes({ action, target })]));
}

describe.each([
  ['debit', 'Debit', (from: string, to: string) => transfer(from, to)],
  ['credit', 'Credit', (from: string, to: string) => transfer(to, from)],
] as const)('%s routes in a row', (action, routed, along) => {
  const [at, source, target] = action === 'debit' ? [0, 'acc@w0', 'other'] : [1, 'other', 'acc@w0'];
  const claim = along('acc@w0', 'other');

  it('lead over three hops', async () => {
    const wallets = { ...chain(action, ['w1', 'w2', 'w3']), w3: {}, other: {} };
    expect((await walletsOf(claim, wallets))[at]).toBe('w3');
  });

  it('may end in a forward, or fail to match, after three', async () => {
    if (action === 'debit') return;
    const three = chain(action, ['w1', 'w2', 'w3']);
    const end = { ...three, w3: routes({ action: 'forward', target: 'x' }), other: {} };
    expect((await walletsOf(claim, end))[1]).toBe('w3 then x');
    const shut = { ...three, w3: routes({ action: 'accept', filter: { amount: 0 } }), other: {} };
    expect(await failureOf(claim, shut)).toBe('No matching out route found for intent i.');
  });

  it('fail at the fourth', async () => {
    const wallets = { ...chain(action, ['w1', 'w2', 'w3', 'w4']), w4: {}, other: {} };
    const detail = 'Max wallet routing depth reached for intent i.';
    const where = `Original source wallet: "${source}", original target wallet: "${target}".`;
    expect(await failureOf(claim, wallets)).toBe(`${detail} ${where}`);
    // Depth comes first: nothing beyond is looked up.
    expect(await failureOf(claim, { ...wallets, ...chain(action, ['w1', 'w2', 'w3', 'w0']) })).toBe(
      `${detail} ${where}`,
    );
    const directory = makeDirectory(wallets);
    await resolve([claim], directory);
    expect(directory.looked).not.toContain('wlt w4');
  });

  it.each([[['w0']], [['w1', 'w0']], [['w1', 'w2', 'w0']], [['w1', 'w2', 'x:1@w1']]])(
    'find the circle of %j',
    async (targets) => {
      const detail = `${routed} routing cycle detected for the address acc@w0.`;
      expect(await failureOf(claim, { ...chain(action, targets), other: {} })).toBe(detail);
    },
  );
});

it('names no wallet for the side that a claim lacks', async () => {
  const deep = { ...chain('credit', ['w1', 'w2', 'w3', 'w4']), w4: {} };
  expect(await failureOf(issue('w0'), deep)).toBe(
    'Max wallet routing depth reached for intent i. Original source wallet: "", original target wallet: "w0".',
  );
});

describe('the example in docs/interface/wallets.md', () => {
  const page = 'docs/interface/wallets.md';
  const [, text = ''] = /```json\n(.*?)```/s.exec(section(page, 'routes')) ?? [];
  const shown = JSON.parse(text) as (JsonObject & { handle: string })[];
  const wallets = Object.fromEntries(shown.map((data) => [data.handle, data]));
  const rows = rowsOf(section(page, 'routes')).slice(1);

  it.each(rows)('%s: debit %s, credit %s', async (said, debited, credited) => {
    const [, amount, symbol, source, target] = /^(\d+) (\w+), (\S+) to (\S+)$/.exec(said ?? '') ?? [];
    const claim = transfer(source ?? '', target ?? '', { amount: Number(amount), symbol: { handle: symbol ?? '' } });
    const resolution = await resolve([claim], makeDirectory(wallets));
    if ('failure' in resolution) {
      expect([debited, credited]).toEqual([resolution.failure.detail, '']);
    } else {
      const [debit, credit] = resolution.entries;
      const then = credit?.forwardTo === undefined ? '' : `, then ${credit.forwardTo}`;
      expect([debited, credited]).toEqual([debit?.wallet, `${credit?.wallet}${then}`]);
    }
  });

  it('has a row for each way', () => {
    expect(rows.length).toBeGreaterThan(6);
  });
});
