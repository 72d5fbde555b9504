import type { JsonObject } from '@countersign/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { routeLimits } from '../../src/kinds/wallet.js';
import { destroy, issue, makeDirectory, resolve, routes, transfer } from './directory.js';

const HANDLES = ['a', 'b', 'c', 'd', 'e', 'f'];

const handle = fc.constantFrom(...HANDLES);
/** One that leads to a wallet by its whole self, by its parent or by its schema; or nowhere. */
const address = fc.oneof(
  handle,
  handle.map((parent) => `acc:1@${parent}`),
  handle.map((schema) => `${schema}:1`),
  fc.constant('gone'),
);

const filter = fc.constantFrom<JsonObject>(
  { amount: { $gte: 5 } },
  { amount: 1 },
  { action: 'transfer' },
  { 'symbol.handle': 'usd' },
);
const route = fc.record(
  { action: fc.constantFrom('debit', 'credit', 'accept', 'forward'), target: address, filter },
  { requiredKeys: ['action'] },
);
const wallets = fc.dictionary(
  handle,
  fc.array(route as fc.Arbitrary<JsonObject>, { maxLength: 4 }).map((all) => routes(...all)),
  { minKeys: 1 },
);
const makers = fc.constantFrom<(from: string, to: string, more: JsonObject) => JsonObject>(
  (to, _, more) => issue(to, more),
  transfer,
  (from, _, more) => destroy(from, more),
);
const claims = fc.array(
  fc
    .tuple(makers, address, address, fc.constantFrom(1, 7))
    .map(([make, from, to, amount]) => make(from, to, { amount })),
  { minLength: 1, maxLength: 6 },
);

const SIDES = { debit: ['debit'], credit: ['credit', 'accept', 'forward'] } as const;
type Wallets = Readonly<Record<string, JsonObject>>;

/** The wallet that an address leads to, told apart from the server's way: by what is left of the address. */
function at(known: Wallets, text: string): string | undefined {
  const [, schema, , parent] = /^(?:([^:@]*):)?([^@]*)(?:@(.*))?$/.exec(text) ?? [];
  return [text, `${schema}@${parent}`, parent, schema].find((one) => one !== undefined && Object.hasOwn(known, one));
}

function isMet({ filter }: JsonObject, { action, amount }: JsonObject): boolean {
  const text = JSON.stringify(filter);
  if (text === '{"amount":{"$gte":5}}') return Number(amount) >= 5;
  if (text === '{"amount":1}') return amount === 1;
  return text !== '{"action":"transfer"}' || action === 'transfer';
}

/**
 * The wallets where a side may end, with where it is sent on from there, found by taking one step after the other: a plain
 * reading of the rules. Undefined where it fails.
 */
function end(known: Wallets, side: 'debit' | 'credit', claim: JsonObject, from: string): string | undefined {
  const way = [at(known, from)];
  for (;;) {
    const wallet = way.at(-1);
    if (wallet === undefined || way.indexOf(wallet) !== way.length - 1 || way.length > routeLimits.hops + 1)
      return undefined;
    const about = ((known[wallet]?.routes ?? []) as JsonObject[]).filter(({ action }) =>
      SIDES[side].some((one) => one === action),
    );
    const matching = about.filter((one) => isMet(one, claim) && (one.action === 'accept' || one.target !== undefined));
    const [first] = matching;
    if (!first) return about.length === 0 ? wallet : undefined;
    if (first.action === 'accept') return wallet;
    if (first.action === 'forward') return `${wallet} then ${first.target}`;
    way.push(at(known, String(first.target)));
  }
}

/** Every side of all claims, by the plain reading; undefined where any fails. */
function expected(known: Wallets, all: readonly JsonObject[]): readonly string[] | undefined {
  const ends = all.flatMap((claim) => {
    const { source, target } = claim as { source?: { handle: string }; target?: { handle: string } };
    return [
      ...(source ? [end(known, 'debit', claim, source.handle)] : []),
      ...(target ? [end(known, 'credit', claim, target.handle)] : []),
    ];
  });
  return ends.every((one) => one !== undefined) ? ends : undefined;
}

it('ends where routes allow it, or fails, within so many lookups', async () => {
  const seen = { resolved: 0, failed: 0 };
  await fc.assert(
    fc.asyncProperty(wallets, claims, async (known, all) => {
      const directory = makeDirectory(known);
      const resolution = await resolve(all, directory);
      // Four handles of an address, of the two that a claim names and of three routes on each side, and a symbol.
      expect(directory.looked.length).toBeLessThanOrEqual(all.length * (2 * 4 * (1 + routeLimits.hops) + 1));
      expect(new Set(directory.looked).size).toBe(directory.looked.length);
      const luids = resolution.needs.map(({ luid }) => luid);
      expect(new Set(luids).size).toBe(luids.length);
      if ('failure' in resolution) {
        seen.failed += 1;
        expect(resolution.failure.reason).toBe('core.routing-failed');
        expect(expected(known, all)).toBeUndefined();
        return;
      }
      seen.resolved += 1;
      const ends = resolution.entries.map(({ wallet, forwardTo }) => {
        return forwardTo === undefined ? wallet : `${wallet} then ${forwardTo}`;
      });
      expect(ends).toEqual(expected(known, all));
      for (const { luid } of resolution.entries) expect(luids).toContain(luid);
    }),
    { numRuns: 1_000 },
  );
  // It is about both.
  expect(Math.min(seen.resolved, seen.failed)).toBeGreaterThan(50);
});
