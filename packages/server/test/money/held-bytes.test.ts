import { expect, it } from 'vitest';
import { limits } from '../../src/limits.js';
import { HeldBytes } from '../../src/money/handing/held-bytes.js';

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

it('one alone is taken whatever its size', () => {
  expect(new HeldBytes().take('one', all + 1)).toBeDefined();
});
