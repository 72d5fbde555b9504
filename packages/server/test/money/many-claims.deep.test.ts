import type { JsonObject } from '@countersign/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeBridge, oauth2, withTokenEndpoint } from '../bridges/scene.js';
import { withOwnServer } from '../support/server.js';
import { REFUSED, reportWell, verbOf, withBridges } from './bridge.js';
import { bridgedScene, shortTrail } from './bridge-scene.js';
import { checkBooks } from './invariants.js';
import { checkReplay } from './replay.js';
import { MoneyScene, transfer } from './scene.js';

const server = withOwnServer({ deliveryAllowPrivate: true });
const bridges = withBridges('bank', 'other');
const { bank, other } = bridges;
const tokens = withTokenEndpoint();

beforeEach(() => {
  for (const one of [bank, other, tokens]) one.reset();
});
afterEach(async () => {
  await checkBooks(server.current.database.url);
  await checkReplay(server.current.database.url);
});

const ROUTES = 50;

/** A wallet that leads credits on to `target`, by the last of many routes, and debits of odd amounts to `purse`. */
function leading(handle: string, target: string): JsonObject {
  const others = Array.from({ length: ROUTES }, (_, n) => ({
    action: 'credit',
    target: 'nobody',
    filter: { amount: 1_000 + n },
  }));
  return {
    handle,
    routes: [...others, { action: 'credit', target }, { action: 'debit', target: 'purse', filter: { amount: 1 } }],
  };
}

it('a hundred claims over three wallets with fifty routes each settle as one, or not at all', async () => {
  const money = await MoneyScene.make(server.current.url, ['purse', 'end']);
  await money.add([leading('hop3', 'end'), leading('hop2', 'hop3'), leading('hop1', 'hop2')]);
  await money.issue('purse', 50);
  await money.issue('hop1', 100);
  expect(await money.balance('end')).toEqual([100, 0]);
  const claims = Array.from({ length: 100 }, (_, n) =>
    transfer(n % 2 === 0 ? 'hop1' : 'end', 'hop1', n % 2 === 0 ? 1 : 2),
  );
  await money.done(claims);
  expect([await money.balance('purse'), await money.balance('end')]).toEqual([
    [0, 0],
    [150, 0],
  ]);
  expect(await money.rejected(claims)).toMatchObject({
    detail: 'Amount -50 is less than minimum allowed amount 0 for wallet purse, symbol usd, schema available',
  });
  expect(await money.balance('end')).toEqual([150, 0]);
});

it('a thread whose intents have different bridges commits when all have prepared', async () => {
  const money = await bridgedScene(server.current.url, bridges);
  await money.add([{ handle: 'on', bridge: 'bank', routes: [{ action: 'forward', target: 'far' }] }]);
  other.report = (call) => (verbOf(call).startsWith('prepare') ? undefined : reportWell(call));
  const handle = await money.intend([transfer('acc2', 'on', 5)]);
  const [call] = await other.until('prepare credits');
  await bank.until('prepare debits', 'prepare credits', 'status', 'prepare debits');
  expect(await money.balance('far')).toEqual([1_000, 0]);
  await other.say(call!, { status: 'prepared' });
  await money.ends(handle, 'completed');
  await money.ends(call!.body.data.intent.data.handle, 'completed');
  expect([await money.balance('acc2'), await money.balance('on'), await money.balance('far')]).toEqual([
    [995, 0],
    [0, 0],
    [1_005, 0],
  ]);
});

it('and aborts at all of them when one refuses', async () => {
  const money = await bridgedScene(server.current.url, bridges);
  await money.add([{ handle: 'on', bridge: 'bank', routes: [{ action: 'forward', target: 'far' }] }]);
  other.report = (call) => (verbOf(call).startsWith('prepare') ? REFUSED : reportWell(call));
  const handle = await money.intend([transfer('acc2', 'on', 5)]);
  await money.ends(handle, 'rejected');
  await other.until('prepare credits', 'abort credits', 'status');
  await bank.until(
    ...['prepare debits', 'prepare credits', 'status', 'prepare debits'],
    ...['abort debits', 'abort credits', 'status', 'abort debits', 'status'],
  );
  expect((await shortTrail(money, handle)).filter((one) => /^bank/.test(one))).toEqual([
    ...['bank prepared', 'bank prepared', 'bank aborted', 'bank aborted'],
  ]);
  expect([await money.balance('acc2'), await money.balance('far')]).toEqual([
    [1_000, 0],
    [1_000, 0],
  ]);
});

it('a bridge with access tokens is shown one at every call, in both phases', async () => {
  const money = await MoneyScene.make(server.current.url);
  await bank.join(money.client, 'unused');
  bank.reset();
  const url = `${bank.url}/${money.client.ledger}`;
  await makeBridge(money.client, 'bank', url, oauth2(tokens.url));
  await money.add([{ handle: 'acc', bridge: 'bank' }]);
  await money.issue('alice', 10);
  await money.ends(await money.intend([transfer('alice', 'acc', 1)]), 'completed');
  await bank.until('prepare credits', 'status', 'commit credits', 'status');
  expect(bank.calls.map(({ headers }) => headers.authorization)).toEqual(Array(4).fill('Bearer token-1'));
  expect(await money.balance('acc')).toEqual([1, 0]);
});
