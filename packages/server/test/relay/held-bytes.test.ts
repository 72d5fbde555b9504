import { expect, it } from 'vitest';
import { HeldBytes } from '../../src/http/relay/held-bytes.js';
import { limits } from '../../src/limits.js';

const { all, ledger } = limits.siblings.held;

it('bytes of one ledger are bounded, and come back', () => {
  const held = new HeldBytes();
  const giveBack = held.take('one', ledger);
  expect(giveBack).toBeDefined();
  expect(held.take('one', 1)).toBeUndefined();
  expect(held.take('other', 1)).toBeDefined();
  giveBack!();
  expect(held.take('one', 1)).toBeDefined();
});

it('bytes of all ledgers are bounded together', () => {
  const held = new HeldBytes();
  for (let taken = 0; taken < all; taken += ledger) expect(held.take(`ledger ${taken}`, ledger)).toBeDefined();
  expect(held.take('one more', 1)).toBeUndefined();
});
