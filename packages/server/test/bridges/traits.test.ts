import type { JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { findBridge } from '../../src/bridges/bridge.js';
import { allowsMethod } from '../../src/bridges/traits.js';
import type { BridgeMethod } from '../../src/kinds/bridge.js';
import { openSession } from '../../src/ledgers/session.js';
import { UNBOUNDED } from '../../src/metering/task.js';
import { newLedger } from '../support/client.js';
import { withServer } from '../support/server.js';
import { makeBridge, rules } from './scene.js';

const server = withServer();
const METHODS: readonly BridgeMethod[] = ['debits', 'credits', 'statuses', 'anchors', 'domains', 'effects', 'ping'];

/** The bridge of those traits, as it is stored. */
async function bridgeWith(more: JsonObject) {
  const { url, server: running } = server.current;
  const client = await newLedger(url);
  await makeBridge(client, 'bank', 'https://bank.example', rules(), more);
  const ledger = await running.service.ledgers.resolve(client.ledger!);
  return (await findBridge(openSession(running.service, ledger), 'bank'))!;
}

const allowed = (traits: { readonly traits?: JsonObject[] }, about?: JsonObject) =>
  allowsMethod(UNBOUNDED, traits, 'debits', about);
const filtered = (filter: JsonObject) => ({ traits: [{ method: 'debits', filter }] });

describe('traits', () => {
  it('Absent = all enabled', async () => {
    const bridge = await bridgeWith({});
    expect(METHODS.filter((method) => allowsMethod(UNBOUNDED, bridge, method))).toEqual(METHODS);
  });

  it('that are there enable what they name, with and without a filter', async () => {
    const bridge = await bridgeWith({ traits: ['effects', { method: 'anchors' }, { method: 'ping', filter: {} }] });
    expect(METHODS.filter((method) => allowsMethod(UNBOUNDED, bridge, method))).toEqual(['anchors', 'effects', 'ping']);
  });

  it('may be none, and then nothing is enabled', async () => {
    const bridge = await bridgeWith({ traits: [] });
    expect(METHODS.filter((method) => allowsMethod(UNBOUNDED, bridge, method))).toEqual([]);
  });

  it('`{method,filter}` filters on the data: `{amount:{$gte:100}}`', async () => {
    const bridge = await bridgeWith({ traits: [{ method: 'debits', filter: { amount: { $gte: 100 } } }] });
    const asked = [99, 100, 101].map((amount) => allowsMethod(UNBOUNDED, bridge, 'debits', { amount }));
    expect(asked).toEqual([false, true, true]);
    expect(allowsMethod(UNBOUNDED, bridge, 'credits', { amount: 100 })).toBe(false);
  });

  it('of one method may be several: one that fits is enough', () => {
    const traits = [
      { method: 'debits', filter: { amount: { $lt: 10 } } },
      { method: 'debits', filter: { amount: { $gt: 20 } } },
    ];
    expect([5, 10, 20, 21].map((amount) => allowed({ traits }, { amount }))).toEqual([true, false, false, true]);
  });
});

describe('the filter of a trait', () => {
  const entries = [{ amount: 5 }, { amount: 50 }];
  const about = { amount: 100, symbol: { handle: 'usd' }, tags: ['a', 'b'], on: true, entries };

  it.each<[JsonObject, boolean]>([
    [{}, true],
    [{ amount: 100 }, true],
    [{ amount: 101 }, false],
    [{ amount: '100' }, false],
    [{ 'symbol.handle': 'usd' }, true],
    [{ 'symbol.handle': 'eur' }, false],
    [{ symbol: { handle: 'usd' } }, true],
    [{ amount: 100, 'symbol.handle': 'eur' }, false],
    [{ tags: 'b' }, true],
    [{ tags: 'c' }, false],
    [{ tags: { $gt: 'a' } }, true],
    [{ tags: { $gt: 'b' } }, false],
    [{ 'entries.amount': { $gte: 50 } }, true],
    [{ 'entries.0.amount': { $gte: 50 } }, false],
    [{ on: true }, true],
    [{ amount: { $gt: 100 } }, false],
    [{ amount: { $gte: 100, $lt: 101 } }, true],
    [{ amount: { $gte: 100, $lt: 100 } }, false],
    [{ amount: { $lte: 100, $ne: 100 } }, false],
    [{ amount: { $gte: '1' } }, false],
    [{ 'symbol.handle': { $gt: 'us', $lt: 'ut' } }, true],
    [{ 'symbol.handle': { $in: ['eur', 'usd'] } }, true],
    [{ 'symbol.handle': { $nin: ['eur', 'usd'] } }, false],
    [{ 'symbol.handle': { $regex: 'us' } }, true],
    // What is not there is as no operator asks.
    [{ none: { $ne: 1 } }, false],
    [{ 'symbol.handle.more': { $nin: ['x'] } }, false],
    [{ amount: { $unknown: 1 } }, false],
    [{ amount: { $gte: 1, constructor: 1 } }, false],
    [{ symbol: { $ne: 1, handle: 'usd' } }, false],
    [{ constructor: { $ne: 1 } }, false],
    [{ 'tags.length': 2 }, false],
  ])('%j: %s', (filter, fits) => {
    expect(allowed(filtered(filter), about)).toBe(fits);
  });

  it('is not met by a call that is about nothing', () => {
    expect(allowed(filtered({ amount: { $gte: 0 } }))).toBe(false);
  });

  it('is charged for, however many dots its keys have', () => {
    let steps = 0;
    const cost = {
      spend(count: number) {
        steps += count;
      },
    };
    allowsMethod(cost, filtered({ ['.'.repeat(100_000)]: 1 }), 'debits', about);
    expect(steps).toBeGreaterThan(20_000);
  });
});
