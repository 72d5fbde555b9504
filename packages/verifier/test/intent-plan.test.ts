import type { JsonObject, StoredProof } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { limitClaimDefect, limitClaimsOf, planDefect } from '../src/intent-plan.js';

const USD = { handle: 'usd' };

/** The plan of one claim, with an entry for each of its sides. */
function judged(claim: JsonObject, sides: readonly string[]): string | undefined {
  const said = { handle: 'e-1', wallet: 'bob', symbol: 'usd', amount: claim.amount, inputs: [0] };
  const resolved = sides.map((schema) => ({ custom: { ...said, schema } }) as unknown as StoredProof);
  return planDefect({ claims: [claim] }, resolved);
}

describe('the entries of a claim (interface/intents#claims)', () => {
  it('have an amount of 1 or more: less would take from who is credited, unreserved', () => {
    const issue = (amount: unknown) => ({ action: 'issue', amount, symbol: USD, target: USD }) as JsonObject;
    for (const amount of [1, Number.MAX_SAFE_INTEGER]) expect(judged(issue(amount), ['credit'])).toBeUndefined();
    for (const amount of [0, -5, 1.5, 2 ** 53, '5', null])
      expect(judged(issue(amount), ['credit'])).toBe('has a claim 0 without an amount');
  });

  it('are none of an action that there is not', () => {
    for (const action of ['constructor', '__proto__', { toString: 1 }]) {
      expect(judged({ action, amount: 1 } as JsonObject, [])).toBeUndefined();
      expect(judged({ action, amount: 1 } as JsonObject, ['credit'])).toBe(
        'has 1 entries resolved, and its claims have 0',
      );
    }
  });

  it('set no limit without an amount: below what is no number nothing is', () => {
    const data = (amount: unknown) =>
      ({ claims: [{ action: 'limit', wallet: 'bob', symbol: USD, metric: 'minBalance', amount }] }) as JsonObject;
    expect([limitClaimDefect(data(-5)), limitClaimsOf(data(-5)).length]).toEqual([undefined, 1]);
    for (const amount of ['5', null, 0.5, 2 ** 53]) {
      expect(limitClaimDefect(data(amount))).toBe('sets a limit without an amount');
      expect(limitClaimsOf(data(amount))).toEqual([]);
    }
  });
});
