import { expect, it } from 'vitest';
import { ANY_CHARACTER, parseTextPattern } from '../../src/base/text-pattern.js';

it.each([
  ['', [[]]],
  ['ab', [['a', 'b']]],
  ['a.b_', [['a', ANY_CHARACTER, 'b', ANY_CHARACTER]]],
  ['a%b.*c', [['a'], ['b'], ['c']]],
  ['%%', [[], [], []]],
  ['..*', [[ANY_CHARACTER], []]],
  ['\\%\\_\\.\\*\\\\', [['%', '_', '.', '*', '\\']]],
  ['\\.*', [['.', '*']]],
  ['a\\', [['a', '\\']]],
  ['*^$', [['*', '^', '$']]],
  ['😀_\n', [['😀', ANY_CHARACTER, '\n']]],
] as const)('%j is parsed', (text, pieces) => {
  expect(parseTextPattern(text)).toEqual(pieces);
});
