import { describe, expect, test } from 'vitest';
import { assertReadsJson } from '../src/index.js';

/** Reads the second object of a pair as the first, once that was read, where it has so many members. */
function misreading(members: number) {
  const read: string[] = [];
  return (text: string): object => {
    const value = JSON.parse(text) as object;
    const before = read.find((one) => one === text.replace('"\\n"', '"\\\\"'));
    read.push(text);
    return before !== undefined && Object.keys(value).length === members ? JSON.parse(before) : value;
  };
}

describe('an engine', () => {
  test('that reads what is written is taken', () => {
    expect(() => assertReadsJson()).not.toThrow();
  });

  test.each([2, 3])('that takes a name for one it has read, in objects of %i members, is refused', (members) => {
    expect(() => assertReadsJson(misreading(members))).toThrow(/^This Node\.js misreads some member names in JSON/);
  });
});
