import type { Json, JsonObject } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallerToken } from '../../src/access/caller.js';
import { matches, member } from '../../src/access/condition.js';
import { filterLimits } from '../../src/access/filter-limits.js';
import { bearerMatches, nameMatches, signerMatches } from '../../src/access/matchers.js';
import type { BearerMatcher, SignerMatcher } from '../../src/access/rules.js';
import { compileTextMatcher, findsIn } from '../../src/access/text-matcher.js';
import { UNBOUNDED } from '../../src/metering/task.js';
import { bare, registered } from './scene.js';

const owners = { record: ['alice-key'], ledger: ['bob-key'] };
// Lone surrogates among them.
const codeUnit = fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code));
const alice = registered('alice', { schema: 'teller', custom: { team: { name: 'red' } }, circles: ['staff', 'night'] });
const bob = bare('bob');

it.each<[SignerMatcher, boolean, boolean]>([
  [{}, true, true],
  [{ public: 'alice-key' }, true, false],
  [{ handle: 'alice' }, true, false],
  [{ handle: { $ne: 'carol' } }, true, false],
  [{ format: 'ed25519-raw' }, true, true],
  [{ public: 'bob-key', format: 'ed25519-raw' }, false, true],
  [{ format: 'other' }, false, false],
  [{ schema: 'teller' }, true, false],
  [{ custom: { team: { name: 'red' } } }, true, false],
  [{ custom: { team: { name: { $in: ['red', 'blue'] } } } }, true, false],
  [{ custom: { team: { name: 'blue' } } }, false, false],
  [{ handle: 'alice', schema: 'guest' }, false, false],
  [{ $circle: 'staff' }, true, false],
  [{ $circle: { $in: ['day', 'night'] } }, true, false],
  [{ $circle: { $in: ['day'] } }, false, false],
  // Whoever is no signer is none outside a circle, either.
  [{ $circle: { $ne: 'day' } } as unknown as SignerMatcher, true, false],
  [{ $circle: { $nin: ['day'] } } as unknown as SignerMatcher, true, false],
  [{ $circle: { $nin: ['night'] } } as unknown as SignerMatcher, false, false],
  [{ schema: { $ne: 'guest' } }, true, false],
  [{ custom: { team: { $ne: 'blue' } } }, true, false],
  [{ $record: 'owner' }, true, false],
  [{ $record: 'creator' }, true, false],
  [{ $ledger: 'owner' }, false, true],
  [{ $in: [{ handle: 'alice' }, { public: 'bob-key' }] }, true, true],
  [{ $in: [] }, false, false],
  [{ $other: 'alice' } as SignerMatcher, false, false],
  [{ $record: 'reader' } as unknown as SignerMatcher, false, false],
])('signer %j: registered %s, bare %s (interface/access#signer-matchers)', (matcher, ofAlice, ofBob) => {
  expect(signerMatches(matcher, alice, owners, UNBOUNDED)).toBe(ofAlice);
  expect(signerMatches(matcher, bob, owners, UNBOUNDED)).toBe(ofBob);
});

const token: CallerToken = {
  key: alice,
  isProvided: true,
  claims: {
    iss: 'idp',
    sub: 'user',
    aud: ['acme', 'other'],
    level: 3,
    hsh: 'abc',
    nested: { a: 1 },
    $key: 'alice-key',
  },
};
const keyless: CallerToken = { isProvided: true, claims: { iss: 'idp', sub: 'nobody', hsh: '' } };

it.each<[BearerMatcher, boolean, boolean]>([
  [{}, true, true],
  [{ iss: 'idp' }, true, true],
  [{ sub: 'user' }, true, false],
  [{ aud: 'acme' }, true, false],
  [{ level: 3 }, true, false],
  [{ level: '3' }, false, false],
  [{ nested: { a: 1 } }, true, false],
  [{ hsh: true }, true, false],
  [{ hsh: false }, true, true],
  [{ $signer: {} }, true, false],
  [{ $signer: { handle: 'alice' }, iss: 'idp' }, true, false],
  [{ $signer: { $in: [{ handle: 'carol' }] } }, false, false],
  [{ $in: [{ sub: 'user' }, { sub: 'nobody' }] }, true, true],
  [{ $in: [{ sub: 'other' }] }, false, false],
  // No claim is called so, whatever the token holds.
  [{ $key: 'alice-key' }, false, false],
  [{ $key: { $ne: 'bob-key' } }, false, false],
  [{ toString: {} }, true, true],
  [{ constructor: { name: 'Object' } }, false, false],
])(
  'bearer %j: with a key %s, without %s (interface/access#signer-matchers, interface/tokens#provider-tokens)',
  (matcher, ofToken, ofKeyless) => {
    expect(bearerMatches(matcher, token, owners, UNBOUNDED)).toBe(ofToken);
    expect(bearerMatches(matcher, keyless, owners, UNBOUNDED)).toBe(ofKeyless);
  },
);

it.each<[BearerMatcher, boolean]>([
  [{}, true],
  [{ $signer: { handle: 'alice' } }, true],
  [{ hsh: true }, true],
  [{ iss: 'idp' }, false],
  [{ level: { $ne: 4 } as Json }, false],
  [{ $signer: { handle: 'alice' }, iss: 'idp' }, false],
  [{ $in: [{ iss: 'idp' }, { hsh: true }] }, true],
])('bearer %j of a token that its bearer has signed: %s (interface/access#bearer-matchers)', (matcher, met) => {
  const { isProvided: _, ...own } = token;
  expect(bearerMatches(matcher, own, owners, UNBOUNDED)).toBe(met);
});

it('a claim is never one that objects inherit', () => {
  expect(member(keyless.claims, 'constructor')).toBeUndefined();
  expect(member(keyless.claims, '__proto__')).toBeUndefined();
  expect(bearerMatches({ constructor: { $ne: 'x' } as Json }, keyless, owners, UNBOUNDED)).toBe(true);
  expect(bearerMatches({ toString: { $regex: '%' } }, keyless, owners, UNBOUNDED)).toBe(false);
  const matcher = JSON.parse('{"__proto__":{"admin":true}}') as BearerMatcher;
  expect(bearerMatches(matcher, keyless, owners, UNBOUNDED)).toBe(false);
});

it('only a rule for all actions grants all of them', () => {
  expect(nameMatches('any', 'any')).toBe(true);
  expect(nameMatches({ $nin: [] }, 'any')).toBe(true);
  expect(nameMatches({ $nin: ['drop'] }, 'any')).toBe(false);
  expect(nameMatches({ $in: ['drop'] }, 'any')).toBe(false);
});

describe('conditions', () => {
  it.each<[Json, Json | undefined, boolean]>([
    ['a', 'a', true],
    ['a', 'b', false],
    [1, '1', false],
    ['a', undefined, false],
    ['a', ['b', 'a'], true],
    [['a'], ['a'], true],
    [['a'], 'a', false],
    [{ $eq: 'a' }, 'a', true],
    [{ $ne: 'a' }, 'a', false],
    [{ $ne: 'a' }, ['b', 'a'], false],
    [{ $ne: 'a' }, undefined, true],
    [{ $in: ['a', 'b'] }, 'b', true],
    [{ $in: ['a'] }, undefined, false],
    [{ $in: 'abc' }, 'a', false],
    [{ $nin: ['a'] }, 'a', false],
    [{ $nin: ['a'] }, undefined, true],
    [{ $nin: 'abc' }, 'x', false],
    [{ $ne: 'a', $in: ['a', 'b'] }, 'a', false],
    [{ $regex: 'ell' }, 'hello', true],
    [{ $regex: 'ell' }, ['no', 'hello'], true],
    [{ $regex: 'ell' }, 3, false],
    [{ $gt: 1 }, 2, false],
    [{ $in: ['a'], other: 1 }, 'a', false],
  ])('%j on %j is %s', (expected, actual, outcome) => {
    expect(matches(expected, actual, UNBOUNDED)).toBe(outcome);
  });

  it.each([
    ['el.*o', 'hello', true],
    ['h%o', 'hello', true],
    ['h_llo', 'hello', true],
    ['h.llo', 'hello', true],
    ['h_o', 'hello', false],
    ['', 'hello', true],
    ['HELL', 'hello', false],
    ['^h', 'hello', false],
    ['[he]', 'hello', false],
    ['a\\%b', 'a%b', true],
    ['a\\%b', 'axb', false],
    ['a\\.b', 'axb', false],
    ['a\\', 'a\\', true],
    ['a_b', 'a\nb', true],
    ['a_b', 'a😀b', true],
    ['a*', 'aaa', false],
  ])('$regex %j finds in %j: %s (interface/lists)', (pattern, text, found) => {
    expect(findsIn(compileTextMatcher(pattern), text, UNBOUNDED)).toBe(found);
  });

  it('never throw, and a name matches itself', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.string({ unit: codeUnit }), (expected, actual, text) => {
        expect(typeof matches(expected as Json, actual as Json, UNBOUNDED)).toBe('boolean');
        expect(typeof matches({ $regex: text } as JsonObject, text, UNBOUNDED)).toBe('boolean');
        expect(nameMatches(text, text)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('$regex beyond the limit never holds', () => {
    const text = 'a'.repeat(filterLimits.characters + 1);
    expect(matches({ $regex: text.slice(1) }, text, UNBOUNDED)).toBe(true);
    expect(matches({ $regex: text }, text, UNBOUNDED)).toBe(false);
  });

  it('are charged for what they look at, whether it is text or not', () => {
    const charged = (expected: Json, actual: Json) => {
      let total = 0;
      matches(expected, actual, { spend: (steps) => (total += steps) });
      return total;
    };
    const many = Array.from({ length: 40_000 }, () => 1);
    for (const expected of ['a', { $eq: 'a' }, { $ne: 'a' }, { $in: ['a'] }, { $regex: 'a' }] as Json[]) {
      expect(charged(expected, many), JSON.stringify(expected)).toBeGreaterThanOrEqual(many.length / 4);
      expect(charged(expected, 'b'), JSON.stringify(expected)).toBeLessThan(100);
    }
    const long = 'a'.repeat(400_000);
    for (const expected of [long, { $ne: long }, { $regex: 'b' }] as Json[]) {
      expect(charged(expected, `${long}a`)).toBeGreaterThan(1_000);
    }
  });

  it('$regex takes lone surrogates', () => {
    expect(matches({ $regex: '\ud800' }, 'a\ud800b', UNBOUNDED)).toBe(true);
  });
});
