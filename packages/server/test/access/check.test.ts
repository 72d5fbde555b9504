import { expect, it } from 'vitest';
import { accessLimits } from '../../src/access/access-limits.js';
import type { Caller } from '../../src/access/caller.js';
import { askers, grants as grantsTo } from '../../src/access/check.js';
import type { AccessContext } from '../../src/access/context.js';
import { DEFAULT_SERVER_RULES, type Rule } from '../../src/access/rules.js';
import { bears, context, policy, registered, signs, stored } from './scene.js';

const alice = registered('alice');
const forAlice: Rule = { action: 'any', signer: { handle: 'alice' } };
const readByAlice: Rule = { action: 'any', bearer: { $signer: { handle: 'alice' } } };
const GATE: Rule = { action: 'access' };
const open: Rule = { action: 'any', record: 'any' };

/** The rules that an access check shows which the caller sends. */
function grants(action: string, record: string | undefined, caller: Caller, context: AccessContext) {
  return grantsTo(
    action,
    record,
    askers(action, caller).map((one) => ({ caller: one, context })),
  );
}

it("shows the ledger's rules, then the record's own with its kind (interface/access#access-check)", () => {
  const here = context({
    ledger: [open],
    server: DEFAULT_SERVER_RULES,
    subject: stored('wallet', [forAlice, readByAlice]),
  });
  // What a proof is for is no help to a read, which carries a token.
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
  const here = context({ ledger: [GATE], subject: stored('wallet', [{ action: 'read', bearer: { sub: 'user' } }]) });
  expect(grants('read', undefined, { ...bears(undefined), proofs: [alice] }, here)).toEqual([
    { action: 'read', record: 'wallet' },
  ]);
});

it("judges an unsigned check by the token's key, a signed one as the signed request would be", () => {
  const here = context({ ledger: [GATE], subject: stored('wallet', [forAlice]) });
  expect(grants('update', undefined, bears(alice), here)).toHaveLength(1);
  expect(grants('update', undefined, signs(registered('bob')), here)).toEqual([]);
  // A write is judged by the signer that its token stands for as well.
  expect(grants('update', undefined, { ...bears(alice), proofs: [registered('bob')] }, here)).toHaveLength(1);
});

it("shows a reference as its granting values with the policy's record", () => {
  const policies = [
    policy('p', [{ action: 'read', filter: { handle: 'one' } }, { action: 'drop' }], { record: 'wallet' }),
  ];
  const here = context({ ledger: [GATE], policies, subject: stored('wallet', [{ policy: 'p' }]) });
  expect(grants('read', undefined, signs(alice), here)).toEqual([
    { action: 'read', filter: { handle: 'one' }, record: 'wallet' },
  ]);
});

it('policy-based: shows granting active values only', () => {
  const policies = [
    policy('p', [{ action: 'read' }], { record: 'wallet', status: 'active' }),
    policy('q', [{ action: 'any' }], { record: 'wallet', status: 'created' }),
    policy('gate', [{ action: 'access' }], { record: 'ledger', status: 'active' }),
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
  const ledger: Rule[] = [GATE, forAlice, { action: 'create', record: 'wallet' }];
  expect(grants('create', 'wallet', signs(alice), context({ ledger, subject: stored('ledger', ledger) }))).toEqual([
    { action: 'create', record: 'wallet' },
  ]);
  const domain = stored('domain', [{ action: 'create', record: 'wallet' }, { action: 'create' }]);
  expect(grants('create', 'wallet', signs(alice), context({ ledger: [GATE], subject: domain }))).toEqual([
    { action: 'create', record: 'wallet' },
  ]);
  expect(
    grants(
      'create',
      'symbol',
      signs(alice),
      context({ ledger: [GATE], subject: stored('wallet', [{ action: 'create' }]) }),
    ),
  ).toEqual([]);
});

it('shows once what several signers are granted by, in order, and judges a few signers of a read', () => {
  const [bob, forBob] = [registered('bob'), { action: 'read', bearer: { $signer: { handle: 'bob' } } } as Rule];
  const here = context({ ledger: [open, GATE], subject: stored('wallet', [forBob, readByAlice, forBob]) });
  expect(grants('read', undefined, { proofs: [alice, bob] }, here)).toEqual([
    { action: 'any', record: 'any' },
    { action: 'read', record: 'wallet' },
    { action: 'any', record: 'wallet' },
    { action: 'read', record: 'wallet' },
  ]);
  const many = Array.from({ length: accessLimits.readers + 1 }, (_, at) => registered(`reader-${at}`));
  expect(grants('read', undefined, { proofs: many.slice(1) }, here)).toHaveLength(1);
  expect(() => grants('read', undefined, { proofs: many }, here)).toThrow('More than 4 signers');
  expect(grants('update', undefined, { proofs: many }, here)).toHaveLength(1);
});

it('shows nothing to who would be stopped at the gate', () => {
  const here = context({ subject: stored('wallet', [forAlice, readByAlice]) });
  for (const action of ['read', 'update']) expect(grants(action, undefined, signs(alice), here)).toEqual([]);
  const owners: Rule = { action: 'any', record: 'any', bearer: { $signer: { handle: 'alice' } } };
  // A rule of the ledger about this very read passes the gate.
  expect(grants('read', undefined, signs(alice), context({ ledger: [owners], subject: stored('wallet') }))).toEqual([
    { action: 'any', record: 'any' },
  ]);
});
