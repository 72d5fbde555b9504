import { expect, it } from 'vitest';
import { grants } from '../../src/access/check.js';
import { DEFAULT_SERVER_RULES, type Rule } from '../../src/access/rules.js';
import { bears, context, policy, registered, signs, stored } from './scene.js';

const alice = registered('alice');
const forAlice: Rule = { action: 'any', signer: { handle: 'alice' } };
const open: Rule = { action: 'any', record: 'any' };

it("shows the ledger's rules, then the record's own with its kind, for reads too (interface/access#access-check)", () => {
  const here = context({ ledger: [open], server: DEFAULT_SERVER_RULES, subject: stored('wallet', [forAlice]) });
  expect(grants('read', undefined, signs(alice), here)).toEqual([
    { action: 'any', record: 'any' },
    { action: 'any', record: 'wallet' },
  ]);
});

it('shows nothing when nothing is granted (interface/access#access-check)', () => {
  const here = context({ server: DEFAULT_SERVER_RULES, subject: stored('wallet', [forAlice]) });
  expect(grants('read', undefined, signs(registered('bob')), here)).toEqual([]);
});

it('shows a rule without its bearer, when the token is meant', () => {
  const here = context({ subject: stored('wallet', [{ action: 'read', bearer: { sub: 'user' } }]) });
  expect(grants('read', undefined, { ...bears(undefined), proofs: [alice] }, here)).toEqual([
    { action: 'read', record: 'wallet' },
  ]);
});

it("judges an unsigned check by the token's key, a signed one by its proofs", () => {
  const here = context({ subject: stored('wallet', [forAlice]) });
  expect(grants('update', undefined, bears(alice), here)).toHaveLength(1);
  expect(grants('update', undefined, { ...bears(alice), proofs: [registered('bob')] }, here)).toEqual([]);
});

it("shows a reference as its granting values with the policy's record", () => {
  const policies = [
    policy('p', [{ action: 'read', filter: { handle: 'one' } }, { action: 'drop' }], { record: 'wallet' }),
  ];
  const here = context({ policies, subject: stored('wallet', [{ policy: 'p' }]) });
  expect(grants('read', undefined, signs(alice), here)).toEqual([
    { action: 'read', filter: { handle: 'one' }, record: 'wallet' },
  ]);
});

it('policy-based: shows granting active values only', () => {
  const policies = [
    policy('p', [{ action: 'read' }], { record: 'wallet', status: 'active' }),
    policy('q', [{ action: 'any' }], { record: 'wallet', status: 'created' }),
  ];
  const here = context({ policyBased: true, ledger: [open], policies, subject: stored('wallet', [forAlice]) });
  expect(grants('read', undefined, signs(alice), here)).toEqual([{ action: 'read', record: 'wallet' }]);
});

it('on the ledger: each rule once', () => {
  const here = context({ ledger: [forAlice, open], subject: stored('ledger', [forAlice, open]) });
  expect(grants('update', undefined, signs(alice), here)).toEqual([
    { action: 'any', record: 'ledger' },
    { action: 'any', record: 'any' },
  ]);
});

it('data.record asks about that kind at the same scope (interface/access#access-check)', () => {
  const ledger: Rule[] = [forAlice, { action: 'create', record: 'wallet' }];
  expect(grants('create', 'wallet', signs(alice), context({ ledger, subject: stored('ledger', ledger) }))).toEqual([
    { action: 'create', record: 'wallet' },
  ]);
  const domain = stored('domain', [{ action: 'create', record: 'wallet' }, { action: 'create' }]);
  expect(grants('create', 'wallet', signs(alice), context({ subject: domain }))).toEqual([
    { action: 'create', record: 'wallet' },
  ]);
  expect(
    grants('create', 'symbol', signs(alice), context({ subject: stored('wallet', [{ action: 'create' }]) })),
  ).toEqual([]);
});
