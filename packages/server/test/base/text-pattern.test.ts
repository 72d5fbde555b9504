import { expect, it } from 'vitest';
import { ANY, parseTextPattern } from '../../src/base/text-pattern.js';

it.each([
  ['', [[]]],
  ['ab', [['a', 'b']]],
  ['a.b_', [['a', ANY, 'b', ANY]]],
  ['a%b.*c', [['a'], ['b'], ['c']]],
  ['%%', [[], [], []]],
  ['..*', [[ANY], []]],
  ['\\%\\_\\.\\*\\\\', [['%', '_', '.', '*', '\\']]],
  ['\\.*', [['.', '*']]],
  ['a\\', [['a', '\\']]],
  ['*^$', [['*', '^', '$']]],
  ['😀_\n', [['😀', ANY, '\n']]],
] as const)('%j is parsed', (text, pieces) => {
  expect(parseTextPattern(text)).toEqual(pieces);
});
