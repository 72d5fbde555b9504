import { expect, it } from 'vitest';
import { accessLimits } from '../../src/access/access-limits.js';
import { accessRefusal, refuseForPermissions } from '../../src/access/refusal.js';
import type { Rule } from '../../src/access/rules.js';
import { bears, context, nobody, registered, signs, stored } from './scene.js';

const bob = registered('bob');
const operator: Rule = { action: 'any', record: 'any', signer: { handle: 'operator' } };
const missing = 'Cannot find required signer.';

it('without credentials: auth.unauthorized (interface/tokens#refused-tokens)', () => {
  const error = accessRefusal('read', 'wallet', { credentials: false });
  expect([error.status, error.reason, error.detail]).toEqual([
    401,
    'auth.unauthorized',
    'Missing token: send one in the header authorization; a write may be signed instead.',
  ]);
});

it('with credentials: auth.forbidden, named by action and record (interface/access#refusals)', () => {
  const error = accessRefusal('query', 'wallet', { credentials: true });
  expect([error.status, error.reason, error.detail]).toEqual([403, 'auth.forbidden', 'Cannot query wallet.']);
});

it('an intent proof: one error per rule for another signer, plus two (interface/access#refusals)', () => {
  const ledger: Rule[] = [
    operator,
    { action: 'create', record: 'intent-proof', signer: { handle: 'carol' } },
    { action: 'any', record: 'intent' },
  ];
  const error = refuseForPermissions(
    'create',
    'intent-proof',
    signs(bob),
    context({ ledger, subject: stored('intent') }),
  );
  expect([error.reason, error.detail, error.custom]).toEqual([
    'auth.forbidden',
    'Missing permissions',
    { errors: [missing, missing, missing, missing] },
  ]);
});

it("a secret: one error for the operator's rule, one for the factor's own (interface/signers#secrets)", () => {
  const subject = stored('signer-factor', [{ action: 'any', signer: { handle: 'carol' } }]);
  const error = refuseForPermissions(
    'reveal',
    'signer-factor-secret',
    bears(bob),
    context({ ledger: [operator], subject }),
  );
  expect(error.custom).toEqual({ errors: [missing, missing] });
});

it('a secret: bearer rules are not counted', () => {
  const ledger: Rule[] = [{ action: 'read', record: 'signer-factor-secret', bearer: {} }];
  const error = refuseForPermissions('reveal', 'signer-factor-secret', bears(bob), context({ ledger }));
  expect([error.status, error.custom]).toEqual([403, undefined]);
});

it('a secret, asked for without credentials: auth.unauthorized', () => {
  expect(refuseForPermissions('reveal', 'signer-factor-secret', nobody, context()).reason).toBe('auth.unauthorized');
});

it('as many errors as the limit, and no more', () => {
  const counted = (count: number) => {
    const ledger = Array.from({ length: count }, () => operator);
    const error = refuseForPermissions(
      'create',
      'intent-proof',
      signs(bob),
      context({ ledger, subject: stored('intent') }),
    );
    return Array.isArray(error.custom?.errors) ? error.custom.errors.length : 0;
  };
  expect(counted(accessLimits.rules - 2)).toBe(accessLimits.rules);
  expect(counted(accessLimits.rules - 1)).toBe(accessLimits.rules);
});
