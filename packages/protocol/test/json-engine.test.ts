import { describe, expect, test } from 'vitest';
import { readJson } from '../src/index.js';
import { misreadsJson } from '../src/json-engine.js';

/** Reads the second object of a pair as the first, once that was read, where it has so many members. */
function misreading(members: number) {
  const read: string[] = [];
  return (text: string): object => {
    const value = readJson(text) as object;
    const before = read.find((one) => one === text.replace('"\\n"', '"\\\\"'));
    read.push(text);
    return before !== undefined && Object.keys(value).length === members ? (readJson(before) as object) : value;
  };
}

describe('an engine', () => {
  test('that reads what is written does not misread', () => {
    expect(misreadsJson((text) => readJson(text) as object)).toBe(false);
  });

  test.each([2, 3])('that takes a name for one it has read, in objects of %i members, misreads', (members) => {
    expect(misreadsJson(misreading(members))).toBe(true);
  });
});
