import { HANDLE_PATTERN, type JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { accessLimits } from '../../src/access/access-limits.js';
import { handleLimits } from '../../src/base/handle.js';
import { bridgeLimits } from '../../src/kinds/bridge.js';
import { dataLimits } from '../../src/kinds/data.js';
import { intentLimits } from '../../src/kinds/intent.js';
import type { KindName } from '../../src/kinds/kind.js';
import { policyLimits } from '../../src/kinds/policies/policy-limits.js';
import { kinds, recordNames } from '../../src/kinds/registry.js';
import { factorLimits } from '../../src/kinds/signer-factor.js';
import { routeLimits } from '../../src/kinds/wallet.js';
import { examples, PUBLIC_KEY } from './examples.js';
import { faults } from './faults.js';

const PATTERN = HANDLE_PATTERN;
const REFERENCE = '^\\{\\{ secret\\.[A-Za-z]+[A-Za-z0-9]* \\}\\}$';
/** The message about what is none of `values`. */
const among = (...values: unknown[]) => `must be equal to one of the allowed values: ${values.join(', ')}`;

/** The minimal example with `members` put in its place; undefined takes a member away. */
function changed(kind: KindName, members: Record<string, unknown>): JsonObject {
  return JSON.parse(JSON.stringify({ ...examples[kind].minimal('x'), ...members }));
}

const repeated = (length: number, value: unknown) => Array.from({ length }, () => value);

describe.each(kinds)('$name', ({ name, links: { under } }) => {
  it('takes its examples', () => {
    expect(faults(name, examples[name].minimal('a-1'))).toEqual([]);
    expect(faults(name, examples[name].full('a-1'))).toEqual([]);
  });

  it('refuses a member it does not have', () => {
    const errors = faults(name, changed(name, { unknown: 1 }));
    expect(errors[0]).toMatch(name === 'policy' ? / must be equal/ : / must NOT have unevaluated properties/);
  });

  if (name !== 'circle-signer')
    it('needs a handle of the form of an address', () => {
      expect(faults(name, changed(name, { handle: undefined }))[0]).toBe(" must have required property 'handle'");
      expect(faults(name, changed(name, { handle: 'a/b' }))[0]).toBe(`/handle must match pattern "${PATTERN}"`);
      expect(faults(name, changed(name, { handle: '' }))[0]).toBe(`/handle must match pattern "${PATTERN}"`);
      expect(faults(name, changed(name, { handle: 'tel:385_-+.9@acc' }))).toEqual([]);
      expect(faults(name, changed(name, { handle: 'h'.repeat(handleLimits.characters) }))).toEqual([]);
      expect(faults(name, changed(name, { handle: 'h'.repeat(handleLimits.characters + 1) }))[0]).toBe(
        `/handle must NOT have more than ${handleLimits.characters} characters`,
      );
    });

  if (under)
    it('names the record it lives under', () => {
      const { member } = under;
      expect(faults(name, changed(name, { [member]: undefined }))[0]).toBe(` must have required property '${member}'`);
    });
});

const claim = examples.intent.minimal('x').claims as JsonObject[];
const header = { schema: 'header', key: 'x-api-key', value: '{{ secret.a }}' };
const generic = { schema: 'rsa', public: 'p', secret: '{{ secret.a }}' };
const factors = Array.from({ length: 16 }, (_, zeros) => `1${'0'.repeat(zeros)}`);
const choice = 'must match exactly one schema in oneOf';

const bad: [KindName, Record<string, unknown>, string[]][] = [
  ['ledger', { signer: 'other' }, [`/signer ${among('system')}`]],
  [
    'ledger',
    { config: { 'access.strategy': 'none' } },
    [
      `/config/access.strategy ${among('record-based', 'policy-based')}`,
      '/config must be null',
      '/config must match a schema in anyOf',
    ],
  ],
  ['signer', { public: undefined }, [" must have required property 'public'"]],
  ['signer', { format: undefined }, [" must have required property 'format'"]],
  ['signer', { format: 'rsa-der' }, [`/format ${among('ed25519-raw')}`]],
  [
    'signer',
    { public: '6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0ix=' },
    ['/public must match pattern "^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$"'],
  ],
  [
    'signer-factor',
    { schema: 'key-pair', format: 'ed25519-raw' },
    [
      ' must NOT have unevaluated properties',
      `/schema ${among('oauth-client-credentials')}`,
      " must have required property 'public'",
      ' must match a schema in anyOf',
    ],
  ],
  ['domain', { domain: 'parent' }, [' must NOT have unevaluated properties']],
  ['report', { schema: undefined }, [" must have required property 'schema'"]],
  ['report', { custom: 'x' }, ['/custom must be object']],
  ['schema', { format: 'xsd' }, [`/format ${among('json-schema')}`]],
  [
    'schema',
    { record: 'ledger' },
    [
      `/record ${among('anchor, anchor-lookup, bridge, circle, domain, effect, intent, policy, report, signer, signer-factor, symbol, wallet')}`,
    ],
  ],
  ['schema', { schema: true }, ['/schema must be object']],
  ['effect', { signal: 'wallet-eaten' }, [`/signal ${among(...recordNames.signals)}`]],
  [
    'effect',
    { action: { schema: 'webhook' } },
    [
      "/action must have required property 'endpoint'",
      "/action must have required property 'bridge'",
      `/action ${choice}`,
    ],
  ],
  [
    'effect',
    { action: { endpoint: 'https://a', bridge: 'b' } },
    [
      '/action must NOT have unevaluated properties',
      '/action must NOT have unevaluated properties',
      `/action ${choice}`,
    ],
  ],
  ['circle-signer', { signer: undefined }, [" must have required property 'signer'"]],
  ['anchor', { target: undefined }, [" must have required property 'target'"]],
  ['anchor', { wallet: 'a/b' }, [`/wallet must match pattern "${PATTERN}"`]],
  [
    'anchor',
    { target: 1 },
    ['/target must be string', '/target must be object', '/target must match a schema in anyOf'],
  ],
  ['wallet', { routes: [{ action: 'pay' }] }, [`/routes/0/action ${among('debit', 'credit', 'accept', 'forward')}`]],
  ['wallet', { routes: [{ target: 'a' }] }, ["/routes/0 must have required property 'action'"]],
  ['wallet', { bridge: null }, ['/bridge must be string']],
  ['symbol', { factor: undefined }, [" must have required property 'factor'"]],
  ['symbol', { factor: 20 }, [`/factor ${among(...factors)}`]],
  ['symbol', { factor: 10 ** 16 }, [`/factor ${among(...factors)}`]],
  ['symbol', { factor: 0.1 }, ['/factor must be integer']],
  ['intent', { claims: undefined }, [" must have required property 'claims'"]],
  ['intent', { claims: [] }, ['/claims must NOT have fewer than 1 items']],
  ['intent', { origin: 'x' }, [' must NOT have unevaluated properties']],
  ['intent', { config: { commit: 'never' } }, [`/config/commit ${among('auto', 'manual')}`]],
  [
    'intent',
    { claims: [{ ...claim[0], amount: 0 }] },
    [
      '/claims/0/amount must be > 0',
      "/claims/0 must have required property 'source'",
      "/claims/0 must have required property 'source'",
      "/claims/0 must have required property 'wallet'",
      `/claims/0 ${choice}`,
    ],
  ],
  ['bridge', { config: undefined }, [" must have required property 'config'"]],
  ['bridge', { config: {} }, ["/config must have required property 'server'"]],
  ['bridge', { config: { server: 'http://a', x: 1 } }, ['/config must NOT have unevaluated properties']],
  ['bridge', { secure: undefined }, [" must have required property 'secure'"]],
  [
    'bridge',
    { secure: [{ ...header, value: 'plain' }] },
    [
      "/secure/0 must have required property 'clientId'",
      `/secure/0/value must match pattern "${REFERENCE}"`,
      "/secure/0 must have required property 'public'",
      `/secure/0 ${choice}`,
    ],
  ],
  [
    'bridge',
    { secure: [{ ...generic, secret: 'plain' }] },
    [
      "/secure/0 must have required property 'clientId'",
      "/secure/0 must have required property 'key'",
      `/secure/0/secret must match pattern "${REFERENCE}"`,
      `/secure/0 ${choice}`,
    ],
  ],
  [
    'bridge',
    { secure: [{ ...generic, ca: 'x' }] },
    [
      "/secure/0 must have required property 'clientId'",
      "/secure/0 must have required property 'key'",
      '/secure/0 must NOT have additional properties',
      `/secure/0 ${choice}`,
    ],
  ],
  [
    'bridge',
    { secure: [{ ...header, key: 'a b' }] },
    [
      "/secure/0 must have required property 'clientId'",
      '/secure/0/key must match pattern "^[A-Za-z0-9!#$%&\'*+.^_`|~-]+$"',
      "/secure/0 must have required property 'public'",
      `/secure/0 ${choice}`,
    ],
  ],
  [
    'bridge',
    { traits: ['reports'] },
    [
      `/traits/0 ${among('debits, credits, statuses, anchors, domains, effects, ping')}`,
      '/traits/0 must be object',
      `/traits/0 ${choice}`,
    ],
  ],
];

describe('refusals, in the order the interface lists them', () => {
  it.each(bad)('%s %j', (kind, members, expected) => {
    expect(faults(kind, changed(kind, members))).toEqual(expected);
  });
});

describe('bounds', () => {
  const route = { action: 'accept' };
  const bounds: [KindName, string, number, (length: number) => Record<string, unknown>][] = [
    ['intent', 'claims', intentLimits.claims, (length) => ({ claims: repeated(length, claim[0]) })],
    ['wallet', 'routes', routeLimits.count, (length) => ({ routes: repeated(length, route) })],
    ['bridge', 'secure', bridgeLimits.secure, (length) => ({ secure: repeated(length, generic) })],
    ['bridge', 'traits', bridgeLimits.traits, (length) => ({ traits: repeated(length, 'ping') })],
    ['policy', 'values', accessLimits.rules, (length) => ({ values: repeated(length, {}) })],
    ['policy', 'extend', policyLimits.extended, (length) => ({ extend: repeated(length, 'p') })],
    [
      'policy',
      'quorum',
      policyLimits.quorum,
      (length) => ({ schema: 'status', values: [{ quorum: repeated(length, {}) }] }),
    ],
  ];
  it.each(bounds)('%s takes %s up to %i', (kind, _, limit, members) => {
    expect(faults(kind, changed(kind, members(limit)))).toEqual([]);
    expect(faults(kind, changed(kind, members(limit + 1))).join()).toContain(`must NOT have more than ${limit} items`);
  });

  it('takes the greatest safe amount, and negative ones in limits alone', () => {
    const amount = (action: string, value: number) =>
      faults('intent', changed('intent', { claims: [{ ...claim[0], wallet: undefined, action, amount: value }] }))[0];
    expect(amount('issue', Number.MAX_SAFE_INTEGER)).toBeUndefined();
    expect(amount('issue', Number.MAX_SAFE_INTEGER + 1)).toBe('/claims/0/amount must be <= 9007199254740991');
    expect(amount('issue', 1.5)).toBe('/claims/0/amount must be integer');
    expect(amount('issue', -1)).toBe('/claims/0/amount must be > 0');

    const bound = (value: number) => {
      const limit = { action: 'limit', wallet: 'w', symbol: 's', metric: 'maxBalance', amount: value };
      return faults('intent', changed('intent', { claims: [limit] })).length;
    };
    expect(bound(-Number.MAX_SAFE_INTEGER)).toBe(0);
    expect(bound(-Number.MAX_SAFE_INTEGER - 1)).not.toBe(0);
    expect(bound(0)).toBe(0);
  });

  it('takes URLs and public keys of factors up to their limits', () => {
    const endpoint = (length: number) => ({ action: { endpoint: 'https://a/'.padEnd(length, 'x') } });
    expect(faults('effect', changed('effect', endpoint(dataLimits.url)))).toEqual([]);
    expect(faults('effect', changed('effect', endpoint(dataLimits.url + 1)))[0]).toContain('must NOT have more than');

    for (const schema of ['key-pair', 'otp']) {
      const key = (length: number) => ({ schema, format: 'rsa-der', public: 'A'.repeat(length) });
      expect(faults('signer-factor', changed('signer-factor', key(factorLimits.publicKey)))).toEqual([]);
      expect(faults('signer-factor', changed('signer-factor', key(factorLimits.publicKey + 1)))).toContain(
        `/public must NOT have more than ${factorLimits.publicKey} characters`,
      );
    }
    const format = (length: number) => changed('signer-factor', { schema: 'otp', format: 'f'.repeat(length) });
    expect(faults('signer-factor', format(handleLimits.characters))).toEqual([]);
    expect(faults('signer-factor', format(handleLimits.characters + 1))).toContain(
      `/format must NOT have more than ${handleLimits.characters} characters`,
    );
  });
});

describe('what else is taken', () => {
  const taken: [KindName, Record<string, unknown>][] = [
    ['ledger', { config: null }],
    ['ledger', { signer: undefined }],
    ['ledger', { access: [] }],
    ['effect', { action: { endpoint: 'https://hooks.example' } }],
    ['effect', { action: { schema: 'bridge', bridge: 'b' } }],
    ['anchor', { wallet: undefined }],
    ['signer-factor', { schema: undefined }],
    ['signer-factor', { schema: 'unknown' }],
    ['signer-factor', { schema: 'totp', secret: '{{ secret.a1 }}' }],
    ['signer-factor', { schema: 'totp', public: 'of any form', format: 'any' }],
    ['signer-factor', { schema: 'unknown', public: 'x' }],
    ['signer-factor', { schema: 'unknown', format: 'x' }],
    ['signer-factor', { schema: 'key-pair', format: 'ed25519-raw', public: PUBLIC_KEY, secret: null }],
    ['signer-factor', { schema: 'oauth-client-credentials' }],
    ['signer-factor', { schema: 'oauth-client-credentials', clientId: 'a', clientSecret: 'b' }],
    ['bridge', { schema: undefined }],
    ['intent', { claims: [{ action: 'destroy', source: 'a', symbol: { handle: 'usd' }, amount: 1 }] }],
  ];
  it.each(taken)('%s %j', (kind, members) => {
    expect(faults(kind, changed(kind, members))).toEqual([]);
  });
});
