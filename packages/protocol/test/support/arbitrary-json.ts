import fc from 'fast-check';
import type { Json } from '../../src/index.js';
import { arbitraryText } from './arbitrary-text.js';

/** Where number formatting, sorting and escaping go wrong, if they do. */
const edgeNumbers: number[] = JSON.parse(`[
  0, -0, 1e21, 1e20, 1e-6, 1e-7, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.1, 4.5,
  333333333.33333329, 0.30000000000000004, 9007199254740991, -9007199254740991, 9007199254740993, 123456789012345680000
]`);
const edgeTexts = [
  '',
  '\\',
  '"',
  '/',
  '\n',
  '\u0001',
  '\u007f',
  '\u2028',
  '\ue000',
  '\uffff',
  '😀',
  '\\ud800',
  'toJSON',
  'length',
];

const text = fc.oneof(
  arbitraryText({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.string({ unit: fc.constantFrom(...edgeTexts), maxLength: 6 }),
  fc.constantFrom(...edgeTexts),
);

const leaf = fc.oneof(
  fc.constantFrom<Json>(null, true, false),
  fc.constantFrom<Json>(...edgeNumbers),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  text,
);

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(text, tie('value'), { maxKeys: 6 }) as fc.Arbitrary<Json>,
  ),
}));

/** Any JSON value: full Unicode without lone surrogates, escapes, edge numbers; some of them nested 60 levels deep. */
export const arbitraryJson: fc.Arbitrary<Json> = fc
  .tuple(value, fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 60 }) }), text)
  .map(([inner, levels, key]) => {
    let nested = inner;
    for (let level = 0; level < levels; level++) nested = level % 2 === 0 ? [nested] : { [key]: nested };
    return nested;
  });
