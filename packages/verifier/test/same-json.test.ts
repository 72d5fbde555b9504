import { readJson } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameJson } from '../src/json/same-json.js';

const isWrittenAlike = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
const anew = (value: unknown) => readJson(JSON.stringify(value));

/** JSON as it is read: without minus zero, which is written as zero. */
const json = fc.jsonValue({ maxDepth: 4 }).map(anew);

/** A value, and one that often is the same, or nearly. */
const pair = json.chain((one) =>
  fc.tuple(fc.constant(one), fc.oneof(json, fc.constant(anew(one)), fc.constant(altered(one)))),
);

/** With the first two members or items the other way round, or one more. */
function altered(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 1 ? [value[1], value[0], ...value.slice(2)] : [...value, null];
  if (typeof value !== 'object' || value === null) return [value];
  const [first, second, ...others] = Object.entries(value);
  return Object.fromEntries(first && second ? [second, first, ...others] : [['more', null], ...(first ? [first] : [])]);
}

describe('JSON that is the same', () => {
  it('is what is written alike', () => {
    fc.assert(
      fc.property(pair, ([one, other]) => {
        expect(isSameJson(one, other)).toBe(isWrittenAlike(one, other));
      }),
      { numRuns: 2_000 },
    );
  });

  it('has its members in one order, and those that are undefined do not count', () => {
    for (const [one, other] of [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [{ a: 1, b: undefined }, { a: 1 }],
      [{ a: null }, {}],
      [[], {}],
      [[1], { 0: 1 }],
      [undefined, undefined],
      [undefined, null],
      ['1', 1],
      [anew({ ['__proto__']: 1 }), {}],
    ] as const)
      expect(isSameJson(one, other), JSON.stringify([one, other])).toBe(isWrittenAlike(one, other));
  });
});
