import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { accessLimits } from '../../src/access/access-limits.js';
import { filterLimits } from '../../src/access/filter-limits.js';
import { AccessEntries, AccessValues, RULE_ACTIONS, SignerMatcher } from '../../src/access/rules.js';
import { oneOfNames } from '../../src/kinds/data.js';
import { recordNames } from '../../src/kinds/registry.js';
import { listSharedSchemas } from '../../src/schemas/shared-schemas.js';

const ajv = new Ajv2020({ strict: true, inlineRefs: false, schemas: listSharedSchemas() });
const entries = ajv.compile(AccessEntries);
const values = ajv.compile(AccessValues);

it.each([
  ['entries', entries],
  ['values', values],
])('an array action gives the recorded errors: %s (interface/policies#fields)', (_, validate) => {
  expect(validate([{ action: ['read'] }])).toBe(false);
  expect(validate.errors?.map(({ instancePath, message }) => [instancePath, message])).toEqual([
    ['/0/action', 'must be string'],
    ['/0/action', 'must be equal to one of the allowed values'],
    ['/0/action', 'must be object'],
    ['/0/action', 'must be object'],
    ['/0/action', 'must match exactly one schema in oneOf'],
    ['/0/action', 'must match exactly one schema in oneOf'],
  ]);
  expect(validate.errors?.[1]?.params.allowedValues).toEqual([...RULE_ACTIONS]);
  // The recorded ones, then ours (interface/access#actions).
  const recorded =
    'abort, access, activate, retry-event, any, assign-signer, commit, create, destroy, drop, issue, limit, lookup, manage, query, read, remove-signer, spend, update, reveal';
  expect(RULE_ACTIONS.join(', ')).toBe(`${recorded}, query-event, erase`);
});

describe('taken', () => {
  const publicSdkActions = ['any', 'access', 'create', 'destroy', 'issue', 'read', 'spend', 'update'];
  const publicSdkRecords = ['any', 'server', 'ledger', 'signer', 'symbol', 'wallet', 'intent', 'effect', 'bridge'];
  it.each(publicSdkActions.flatMap((action) => publicSdkRecords.map((record) => [{ action, record }])))(
    '%j',
    (rule) => {
      expect(entries([rule])).toBe(true);
      expect(values([rule])).toBe(true);
    },
  );

  it.each([
    [{ action: { $in: ['read', 'query'] }, record: { $nin: ['wallet'] } }],
    [{ action: 'any', signer: {} }],
    [{ action: 'any', signer: { handle: 'a', format: 'ed25519-raw', public: 'k', custom: { x: { y: 1 } } } }],
    [{ action: 'any', signer: { $in: [{ public: 'a' }, { handle: { $regex: 'b%' } }] } }],
    [{ action: 'any', signer: { $circle: 'c', $record: 'owner', $ledger: 'creator' } }],
    [{ action: 'any', signer: { $circle: { $in: ['a'] } } }],
    [{ action: 'any', bearer: { iss: 'a', sub: 'b', aud: 'c', hsh: true, $signer: { public: 'k' } } }],
    [{ action: 'any', bearer: { $in: [{ sub: 'a' }, { role: ['x'] }] } }],
  ])('%j', (rule) => {
    expect(entries([rule]), JSON.stringify(entries.errors)).toBe(true);
    expect(values([rule]), JSON.stringify(values.errors)).toBe(true);
  });

  it('references to policies, on records', () => {
    expect(entries([{ policy: 'a' }, { policy: { $in: ['a', 'b'] } }])).toBe(true);
    expect(values([{ policy: 'a' }])).toBe(false);
  });

  it('filter and invoke, on policies', () => {
    const value = { action: 'read', filter: { handle: { $in: ['a'] }, 'meta.status': 'active' }, invoke: 'a.b' };
    expect(values([value])).toBe(true);
    expect(entries([value])).toBe(false);
  });
});

it.each([
  [{}],
  ['read'],
  [{ record: 'wallet' }],
  [{ action: 'sign' }],
  [{ action: 'sign-intent' }],
  [{ action: 'read', record: 'wallets' }],
  [{ action: { $in: ['sign'] } }],
  [{ action: { $in: ['read'], $nin: [] } }],
  [{ action: 'read', unknown: 1 }],
  [{ action: 'read', policy: 'p' }],
  [{ policy: 'p', unknown: 1 }],
  [{ policy: { $nin: ['p'] } }],
  [{ action: 'read', signer: { unknown: 1 } }],
  [{ action: 'read', signer: { $record: 'reader' } }],
  [{ action: 'read', signer: { $in: [{ $in: [] }] } }],
  [{ action: 'read', signer: { handle: { $gt: 'a' } } }],
  [{ action: 'read', signer: { handle: {} } }],
  [{ action: 'read', bearer: { $key: 'k' } }],
  [{ action: 'read', bearer: { hsh: 'yes' } }],
  [{ action: 'read', bearer: 'token' }],
])('refused: %j', (entry) => {
  expect(entries([entry])).toBe(false);
  expect(values([entry])).toBe(false);
});

it('as many rules as the limit, and no more', () => {
  const rules = (count: number) => Array.from({ length: count }, () => ({ action: 'read' }));
  for (const validate of [entries, values]) {
    expect(validate(rules(accessLimits.rules))).toBe(true);
    expect(validate(rules(accessLimits.rules + 1))).toBe(false);
  }
});

it('a pattern as long as the limit, and no longer', () => {
  const pattern = (length: number) => [{ action: 'read', signer: { handle: { $regex: 'a'.repeat(length) } } }];
  expect(entries(pattern(filterLimits.characters))).toBe(true);
  expect(entries(pattern(filterLimits.characters + 1))).toBe(false);
});

it('as many filter keys as the limit, and no more', () => {
  const filtered = (count: number) => {
    const keys = Array.from({ length: count }, (_, n) => [`custom.k${n}`, 'x']);
    return [{ action: 'read', filter: Object.fromEntries(keys) }];
  };
  expect(values(filtered(filterLimits.count))).toBe(true);
  expect(values(filtered(filterLimits.count + 1))).toBe(false);
});

it('stand alone as the record of a policy and the matcher of a quorum', () => {
  expect(ajv.validate(oneOfNames(recordNames.records), 'any')).toBe(true);
  expect(ajv.validate(oneOfNames(recordNames.records), 'wallets')).toBe(false);
  expect(ajv.validate(SignerMatcher, { handle: 'system' })).toBe(true);
  expect(ajv.validate(SignerMatcher, { unknown: 'system' })).toBe(false);
});
