import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileTextMatcher, findsIn } from '../../src/access/text-matcher.js';
import { ANY_CHARACTER, parseTextPattern } from '../../src/base/text-pattern.js';
import { UNBOUNDED } from '../../src/metering/task.js';
import { workLimits } from '../../src/metering/work-limits.js';

/** Few characters, so that texts often nearly match: two of them stand for others in patterns, one is two code units. */
const character = fc.constantFrom('a', 'b', '😀', '%', '_', '.', '*', '\\', '\n', '\ud800');

/** The pattern as an expression of the language, which tries every way there is. */
function expression(pattern: string): RegExp {
  const pieces = parseTextPattern(pattern).map((piece) =>
    piece.map((one) => (one === ANY_CHARACTER ? '.' : `\\u{${one.codePointAt(0)?.toString(16)}}`)).join(''),
  );
  return new RegExp(pieces.join('.*'), 'su');
}

/** Steps that finding the pattern in the text is charged for. */
function stepsToFind(pattern: string, text: string): number {
  let steps = 0;
  findsIn(compileTextMatcher(pattern), text, {
    spend: (more) => {
      steps += more;
    },
  });
  return steps;
}

describe('$regex', () => {
  it('finds what an expression that tries every way finds', () => {
    const parts = fc.array(character, { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(parts, fc.array(character, { maxLength: 30 }), (pattern, text) => {
        const whole = text.join('');
        expect(findsIn(compileTextMatcher(pattern), whole, UNBOUNDED)).toBe(expression(pattern).test(whole));
      }),
      { numRuns: 3_000 },
    );
  });

  it('finds long pieces, whose heads are searched for and whose rests are compared', () => {
    const piece = fc.integer({ min: 190, max: 210 }).map((length) => `${'ab'.repeat(length >> 1)}_b`);
    fc.assert(
      fc.property(piece, fc.integer({ min: 180, max: 215 }), (pattern, length) => {
        const text = `a${'ab'.repeat(length >> 1)}😀b`;
        expect(findsIn(compileTextMatcher(pattern), text, UNBOUNDED)).toBe(expression(pattern).test(text));
      }),
    );
  });

  it.each([
    ['runs between pieces that are all there', `${'a%'.repeat(500)}z`, 'a'.repeat(900_000), false],
    ['a head that nearly stands everywhere', `${'a'.repeat(100)}b`, 'a'.repeat(900_000), false],
    ['the last place of a long text', 'z', `${'a'.repeat(900_000)}z`, true],
  ])('finds %s in less than a slice', (_, pattern, text, found) => {
    expect(findsIn(compileTextMatcher(pattern), text, UNBOUNDED)).toBe(found);
    expect(stepsToFind(pattern, text)).toBeLessThan(workLimits.slice);
  });

  it('is charged for what is compared over and over', () => {
    const text = 'a'.repeat(90_000);
    const once = stepsToFind('a_z', text);
    expect(stepsToFind(`${'a_'.repeat(100)}z`, text)).toBeGreaterThan(50 * once);
  });
});
