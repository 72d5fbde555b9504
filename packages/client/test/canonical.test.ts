import { canonical as expected, type Json } from '@countersign/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryJson } from '../../protocol/test/support/arbitrary-json.js';
import { canonical } from '../src/canonical.js';

test('is that of the protocol, for whatever JSON there is', () => {
  fc.assert(
    fc.property(arbitraryJson, (value) => {
      expect(canonical(value)).toBe(expected(value as Json));
    }),
    { numRuns: process.env.LONG_TESTS ? 30_000 : 1_000 },
  );
});

test('is that of the protocol where values have no text, or one of their own', () => {
  const values = [
    { b: undefined, a: 1 },
    [undefined],
    { at: new Date(0) },
    { 10: 1, 9: 2, a: 3, B: 4 },
    [-0, 1e21, 1e-7, 0.1 + 0.2],
    Object.fromEntries([['__proto__', 1]]),
    '\ud83d\ude00',
  ];
  for (const value of values) expect(canonical(value)).toBe(expected(value as Json));
});

const cycle: unknown[] = [];
cycle.push(cycle);

test.each([
  ['undefined', undefined],
  ['NaN', { a: Number.NaN }],
  ['an infinity', [Number.NEGATIVE_INFINITY]],
  ['a bigint', [1n]],
  ['a function', { a: () => 1 }],
  ['a symbol', [Symbol('a')]],
  ['a cycle', cycle],
  ['a lone surrogate', ['\ud800']],
  ['a lone surrogate in a key', { 'a\udc00': 1 }],
])('%s is not JSON', (_, value) => {
  expect(() => canonical(value)).toThrow(TypeError);
  expect(() => expected(value as Json)).toThrow(TypeError);
});
