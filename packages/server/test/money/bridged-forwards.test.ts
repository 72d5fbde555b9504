import { afterEach, beforeEach, expect, it } from 'vitest';
import { withOwnServer } from '../support/server.js';
import { withBridges } from './bridge.js';
import { bridgedScene } from './bridge-scene.js';
import { checkBooks } from './invariants.js';
import { transfer } from './scene.js';

const server = withOwnServer({ deliveryAllowPrivate: true });
const bridges = withBridges('bank', 'other');

beforeEach(() => {
  bridges.bank.reset();
  bridges.other.reset();
});
afterEach(() => checkBooks(server.current.database.url));

it.each([
  ['its own debit', [transfer('acc', 'sends', 5)]],
  ['another credit of it', [transfer('alice', 'sends', 5), transfer('alice', 'far', 3)]],
])('an intent that waits for a bridge (%s) forwards when it is prepared', async (_, claims) => {
  const money = await bridgedScene(server.current.url, bridges);
  await money.add([{ handle: 'sends', routes: [{ action: 'forward', target: 'bob' }] }]);
  const handle = await money.intend(claims);
  await money.ends(handle, 'completed');
  expect(await money.balance('bob')).toEqual([5, 0]);
  expect(await money.balance('sends')).toEqual([0, 0]);
});
