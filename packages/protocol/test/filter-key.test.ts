import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OPERATORS, parseFilterKey } from '../src/index.js';

const handle = ['data', 'handle'];

test.each(OPERATORS)('operator %s', (operator) => {
  expect(parseFilterKey(`data.handle.${operator}`)).toEqual({ path: handle, operator });
  expect(parseFilterKey(`data[handle][${operator}]`)).toEqual({ path: handle, operator });
});

test('the interface names these operators', () => {
  expect(OPERATORS).toEqual(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$regex']);
});

test.each([
  ['data.handle', { path: handle, operator: '$eq' }],
  ['meta.status', { path: ['meta', 'status'], operator: '$eq' }],
  ['luid', { path: ['luid'], operator: '$eq' }],
  ['data.custom.address.city', { path: ['data', 'custom', 'address', 'city'], operator: '$eq' }],
  ['data.claims.0.amount.$gt', { path: ['data', 'claims', '0', 'amount'], operator: '$gt' }],
  ['data.claims[0].amount.$gt', { path: ['data', 'claims', '0', 'amount'], operator: '$gt' }],
  ['data.claims.amount.$gt', { path: ['data', 'claims', 'amount'], operator: '$gt' }],
  ['data[custom][first.name]', { path: ['data', 'custom', 'first.name'], operator: '$eq' }],
  ['data.custom.a b', { path: ['data', 'custom', 'a b'], operator: '$eq' }],
  ['data.custom.a$in', { path: ['data', 'custom', 'a$in'], operator: '$eq' }],
  ['data.handle.$in', { path: handle, operator: '$in' }],
  ['data.handle.$in[]', { path: handle, operator: '$in' }],
  ['data.handle.$in[0]', { path: handle, operator: '$in', element: 0 }],
  ['data.handle.$in[12]', { path: handle, operator: '$in', element: 12 }],
  ['data.handle.$in.3', { path: handle, operator: '$in', element: 3 }],
  ['data[handle][$in][3]', { path: handle, operator: '$in', element: 3 }],
  ['data.handle.$nin[999999]', { path: handle, operator: '$nin', element: 999999 }],
])('%s', (key, parsed) => expect(parseFilterKey(key)).toEqual(parsed));

describe('undefined for', () => {
  test.each([
    '',
    '.',
    '$eq',
    '$in[0]',
    '$plainTextQuery',
    '.$eq',
    'data..handle',
    'data.',
    '.data',
    'data.handle.$foo',
    'data.handle.$and',
    'data.handle.$or',
    'data.handle.$EQ',
    'data.handle.$',
    'data.handle.$eq.$ne',
    'data.$eq.handle',
    'data.handle.$eq[0]',
    'data.handle.$gt[]',
    'data.handle.$in[0][1]',
    'data.handle.$in[a]',
    'data.handle.$in[-1]',
    'data.handle.$in[1.5]',
    'data.handle.$in[1000000]',
    'data.handle.$in[ 1]',
    'data[',
    'data]',
    'data[handle',
    'data[[handle]]',
    'data[handle]x',
    'data[]',
    'data.a]b',
    'data[a].b]',
  ])('%j', (key) => expect(parseFilterKey(key)).toBeUndefined());
});

test('any text is read or refused, and what is read has a path', () => {
  const unit = fc.constantFrom('data', 'a', '.', '[', ']', '$in', '$eq', '$', '0', ' ', '__proto__');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 10 }), (key) => {
      const parsed = parseFilterKey(key);
      if (parsed === undefined) return;
      expect(parsed.path.length).toBeGreaterThan(0);
      expect(parsed.path).not.toContain('');
      expect(OPERATORS).toContain(parsed.operator);
    }),
    { numRuns: 3_000 },
  );
});
