import { expect, test } from 'vitest';
import { canonical, hash, type Json, readJson } from '../src/index.js';

const cycle: Json[] = [];
cycle.push(cycle);
let deep: Json = 0;
for (let level = 0; level < 200_000; level++) deep = [deep];

test.each([
  ['undefined', undefined],
  ['NaN', { a: Number.NaN }],
  ['an infinity', [Number.NEGATIVE_INFINITY]],
  ['a bigint', [1n]],
  ['a function', { a: () => 1 }],
  ['a symbol', [Symbol('a')]],
  ['a cycle', cycle],
  ['nesting beyond the call stack', deep],
  ['a lone surrogate', ['\ud800']],
  ['a lone surrogate after backslashes', ['\\\\\udfff']],
  ['a lone surrogate in a key', { 'a\udc00': 1 }],
])('%s is not JSON', (_, value) => {
  expect(() => canonical(value as Json)).toThrow(TypeError);
  expect(() => hash(value as Json)).toThrow(TypeError);
});

test('text that spells an escape is no lone surrogate', () => {
  expect(canonical('\\ud800')).toBe('"\\\\ud800"');
  expect(canonical('\\\\\\ud800')).toBe('"\\\\\\\\\\\\ud800"');
});

test('undefined members are left out', () => {
  expect(canonical({ b: 1, a: undefined } as unknown as Json)).toBe('{"b":1}');
});

test('many keys sort by code unit', () => {
  const keys = Array.from({ length: 1_000 }, (_, at) => String.fromCharCode(0x20 + ((at * 7919) % 0xd000)) + at);
  const object = Object.fromEntries(keys.map((key) => [key, 0]));
  expect(Object.keys(readJson(canonical(object)) as object)).toEqual(keys.toSorted());
});
