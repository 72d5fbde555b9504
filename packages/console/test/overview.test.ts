import type { Signed } from '@countersign/client';
import { formatAmount } from '@countersign/client/amounts';
import { describe, expect, it } from 'vitest';
import { amountsOf } from '../src/overview/amounts.js';
import { bucketsOf } from '../src/overview/buckets.js';

/** The greatest amount of a claim (interface/intents#claims). */
const GREATEST = 9_007_199_254_740_991;

describe('amounts of the overview', () => {
  it('are added up exactly, however large the sum', () => {
    const amounts = amountsOf([
      intent(GREATEST),
      intent(GREATEST),
      intent(1),
      { ...intent(5), meta: meta('rejected') },
    ]);
    const sum = bucketsOf(amounts).reduce((all, { value }) => all + value, 0n);
    expect(sum).toBe(18_014_398_509_481_983n);
    expect(bucketsOf(amounts)[0]?.value).toBe(sum);
    expect(formatAmount(sum, 100)).toBe('180143985094819.83');
  });

  it('are those of claims that issue or transfer a whole number', () => {
    expect(amountsOf([intent(2), intent(7, 'destroy'), intent(1.5), intent('3')]).map(({ value }) => value)).toEqual([
      2n,
    ]);
    expect(bucketsOf([])).toEqual([]);
  });
});

function intent(amount: unknown, action = 'issue'): Signed {
  const claims = [{ action, amount, symbol: { handle: 'usd' } }];
  return { data: { claims }, meta: meta('completed') } as unknown as Signed;
}

function meta(status: string) {
  return { status, moment: '2026-11-27T10:00:00.000Z', proofs: [] };
}
