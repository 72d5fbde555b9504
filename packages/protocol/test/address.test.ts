import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { domainOf, HANDLE_PATTERN, parseAddress } from '../src/index.js';

describe('parseAddress', () => {
  test.each([
    ['alice', { name: 'alice' }],
    ['A-z_0+9.', { name: 'A-z_0+9.' }],
    ['intent:status', { schema: 'intent', name: 'status' }],
    ['jane@bank.example', { name: 'jane', parent: 'bank.example' }],
    ['tel:+123@acc', { schema: 'tel', name: '+123', parent: 'acc' }],
    ['a@b@c', { name: 'a', parent: 'b@c' }],
    ['s:a@b@c.d@e', { schema: 's', name: 'a', parent: 'b@c.d@e' }],
    ['...', { name: '...' }],
    ['.a', { name: '.a' }],
    ['..a', { name: '..a' }],
    ['a.', { name: 'a.' }],
    ['..:a@..', { schema: '..', name: 'a', parent: '..' }],
  ])('%s', (text, parts) => expect(parseAddress(text)).toEqual(parts));

  test.each([
    '',
    ':',
    '@',
    ':a',
    'a:',
    '@a',
    'a@',
    'a:@b',
    'a:b:c',
    'a@b:c',
    'a@b@',
    'a@@b',
    'a@b@c:d',
    '.',
    '..',
    's:.',
    's:..',
    '.@d',
    '..@d',
    'a b',
    'é',
    'a/b',
    '$wlt.a',
    'a\n',
    '\na',
    'a\u0000',
    'a%40b',
  ])('refuses %j', (text) => expect(parseAddress(text)).toBeUndefined());

  test('agrees with the pattern, and its parts make the text again', () => {
    const pattern = new RegExp(HANDLE_PATTERN, 'u');
    const unit = fc.constantFrom(...'aZ0_-+.:@ é');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 8 }), (text) => {
        const parts = parseAddress(text);
        expect(parts !== undefined).toBe(pattern.test(text));
        if (parts === undefined) return;
        const schema = parts.schema === undefined ? '' : `${parts.schema}:`;
        const parent = parts.parent === undefined ? '' : `@${parts.parent}`;
        expect(schema + parts.name + parent).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  test('long text takes linear time', () => {
    for (const text of [
      `${'a'.repeat(200_000)}!`,
      `${'a'.repeat(100_000)}:${'b'.repeat(100_000)}@!`,
      `${'a@'.repeat(100_000)}!`,
      `${'.'.repeat(200_000)}!`,
    ]) {
      const before = process.cpuUsage();
      expect(parseAddress(text)).toBeUndefined();
      // Quadratic time would take a minute. Microseconds of the processor, which other programs do not take part in.
      expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
    }
  });
});

test.each([
  ['jane@bank', 'bank'],
  ['tel:1@bank.example', 'bank.example'],
  ['jane', undefined],
  ['jane@', undefined],
  ['a@b@c', undefined],
  ['@', undefined],
])('domain of %s', (handle, domain) => expect(domainOf(handle)).toBe(domain));
