import { formatAmount } from '@countersign/client/amounts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toInteger } from '../src/money/amount.js';
import { claimText, readClaim, toSignedClaim } from '../src/money/claim.js';

const factors = fc.integer({ min: 0, max: 15 }).map((digits) => 10 ** digits);

describe('a claim in words', () => {
  it('is what was given, with what else it says', () => {
    for (const text of [
      'transfer 25.00 usd from shop to till',
      'issue 0.05 usd to till',
      'destroy 1.50 usd from shop',
    ]) {
      const claim = readClaim(text);
      expect(claimText(toSignedClaim(claim, toInteger(claim.amount, 100)), 100)).toBe(text);
    }
    const claim = { action: 'issue', target: 'till', symbol: 'usd', amount: 5 };
    expect(claimText({ ...claim, custom: { note: 1 } }, 100)).toBe('issue 0.05 usd to till {"custom":{"note":1}}');
    expect(claimText(claim, undefined)).toBe('issue 5 (as counted) of usd to till');
    const limit = { action: 'limit', wallet: { handle: 'till' }, symbol: { handle: 'usd' }, amount: 500 };
    expect(claimText({ ...limit, metric: 'maxBalance' }, 100)).toBe('limit maxBalance of till to 5.00 usd');
    expect(claimText({ ...limit, metric: 'dailyCount' }, 100)).toBe('limit dailyCount of till to 500 usd');
    for (const odd of ['x', { action: 'issue' }, { ...claim, target: { handle: 'a', parent: {} } }]) {
      expect(claimText(odd, 100)).toBe(JSON.stringify(odd));
    }
  });
});

describe('amounts', () => {
  it('come back as they were written', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), factors, (integer, factor) => {
        expect(toInteger(formatAmount(integer, factor), factor)).toBe(integer);
      }),
    );
  });

  it('are exact where floating-point numbers are not', () => {
    expect(toInteger('0.29', 100)).toBe(29);
    expect(toInteger('1.005', 1000)).toBe(1005);
    expect(toInteger('90071992547409.91', 100)).toBe(Number.MAX_SAFE_INTEGER);
    expect(formatAmount(-5, 100)).toBe('-0.05');
    expect(formatAmount(5, 1)).toBe('5');
    expect(toInteger('007.50', 10)).toBe(75);
  });

  it.each([
    ['0.001', 100],
    ['1e3', 1],
    ['1,50', 100],
    ['.5', 10],
    ['5.', 10],
    ['', 1],
    ['0x10', 1],
    ['٣', 1],
    ['90071992547409.92', 100],
  ])('refuse %s with factor %d', (text, factor) => {
    expect(() => toInteger(text, factor)).toThrow();
  });
});

describe('claims in words', () => {
  it('are read', () => {
    const both = { action: 'transfer', amount: '25.00', symbol: 'usd', source: 'a', target: 'b' };
    expect(readClaim('transfer 25.00 usd from a to b')).toEqual(both);
    expect(readClaim(' transfer  25.00 usd to b from a ')).toEqual(both);
    expect(readClaim('issue 1 usd to b')).toEqual({ action: 'issue', amount: '1', symbol: 'usd', target: 'b' });
    expect(readClaim('destroy 1 usd from a')).toEqual({ action: 'destroy', amount: '1', symbol: 'usd', source: 'a' });
  });

  it.each([
    'transfer 1 usd from a',
    'issue 1 usd from a to b',
    'destroy 1 usd',
    'transfer 1 usd from a to b to c',
    'transfer 1 usd from a to',
    'send 1 usd from a to b',
    'transfer 1 usd from a at b',
    '',
  ])("refuse '%s'", (text) => {
    expect(() => readClaim(text)).toThrow('is not a claim');
  });
});
