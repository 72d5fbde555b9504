import { expect, it } from 'vitest';
import { bodyLimits } from '../../src/http/bodies/body-limits.js';
import { HeldBytes } from '../../src/http/relay/held-bytes.js';
import { siblingLimits } from '../../src/http/relay/sibling-limits.js';

const { all, account } = siblingLimits.held;
const large = bodyLimits.small + 1;

it('bytes of one account are bounded, and come back', () => {
  const held = new HeldBytes();
  const body = held.take('one', account);
  expect(body).toBeDefined();
  expect(held.take('one', large)).toBeUndefined();
  expect(held.take('other', large)).toBeDefined();
  body!.giveBack();
  expect(held.take('one', large)).toBeDefined();
});

it('bytes of all accounts are bounded together', () => {
  const held = new HeldBytes();
  for (let taken = 0; taken < all; taken += account) expect(held.take(`account ${taken}`, account)).toBeDefined();
  expect(held.take('one more', 1)).toBeUndefined();
});

it('bytes move from a sender to its ledger, and stay where that has no room', () => {
  const held = new HeldBytes();
  const first = held.take('sender', account)!;
  first.move('ledger');
  const second = held.take('sender', account)!;
  expect(second).toBeDefined();
  second.move('ledger');
  expect(held.take('sender', large)).toBeUndefined();
  first.giveBack();
  expect(held.take('ledger', account)).toBeDefined();
});

it('small ones count for no account, and what was given back moves nowhere', () => {
  const held = new HeldBytes();
  const body = held.take('one', account)!;
  expect(held.take('one', large - 1)).toBeDefined();
  body.giveBack();
  body.move('other');
  expect(held.take('other', account)).toBeDefined();
});
