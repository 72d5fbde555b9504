import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Caller } from '../../src/access/caller.js';
import { decideAccess, isVisible, judgeQuery, mayEnter, mayRead } from '../../src/access/decide.js';
import { type ActionName, type RecordName, RULE_ACTIONS, type Rule } from '../../src/access/rules.js';
import { recordNames } from '../../src/kinds/registry.js';
import { bare, context, type Parts, policy, registered, stored } from './scene.js';

const KINDS = ['wallet', 'symbol', 'intent', 'circle', 'domain', 'ledger'] as const;
const actions = fc.constantFrom(...RULE_ACTIONS);
const records = fc.constantFrom(...recordNames.records);
const kinds = fc.constantFrom(...KINDS);

function namesOf<Name extends string>(name: fc.Arbitrary<Name>) {
  return fc.oneof(
    name,
    fc.record({ $in: fc.array(name, { maxLength: 3 }) }),
    fc.record({ $nin: fc.array(name, { maxLength: 3 }) }),
  );
}

const signers = fc.constantFrom<NonNullable<Rule['signer']>>(
  {},
  { handle: 'alice' },
  { public: 'bob-key' },
  { $circle: 'staff' },
  { $record: 'owner' },
  { $in: [{ $ledger: 'owner' }, { handle: 'alice' }] },
);
const bearers = fc.constantFrom<NonNullable<Rule['bearer']>>({}, { $signer: {} }, { sub: 'user' }, { hsh: true });

const rule = fc.record<Rule, 'action'>(
  { action: namesOf<ActionName>(actions), record: namesOf<RecordName>(records), signer: signers, bearer: bearers },
  { requiredKeys: ['action'] },
);
const rules = fc.array(rule, { maxLength: 4 });

const key = fc.constantFrom(bare('bob'), registered('alice', { circles: ['staff'] }), registered('carol'));
const caller: fc.Arbitrary<Caller> = fc.record(
  {
    proofs: fc.array(key, { maxLength: 2 }),
    token: fc.record(
      { key, claims: fc.constantFrom({ sub: 'user' }, { sub: 'user', hsh: 'x' }) },
      { requiredKeys: ['claims'] },
    ),
  },
  { requiredKeys: ['proofs'] },
);

const scene = fc.record({ kind: kinds, ledger: rules, server: rules, domain: rules, own: rules });
type Scene = typeof scene extends fc.Arbitrary<infer Shape> ? Shape : never;

function parts({ kind, ledger, server, domain, own }: Scene): Parts {
  return {
    ledger,
    server,
    domains: { a: domain },
    owners: ['bob-key'],
    subject: stored(kind, own, { owners: ['alice-key'] }),
  };
}

it('adding a rule never takes a grant away', () => {
  const where = fc.constantFrom('ledger', 'server', 'domain', 'own');
  fc.assert(
    fc.property(scene, where, rule, fc.nat(), actions, caller, (before, level, added, at, action, who) => {
      const list = before[level as 'ledger'];
      const after = { ...before, [level]: list.toSpliced(at % (list.length + 1), 0, added) };
      const [less, more] = [context(parts(before)), context(parts(after))];
      for (const record of [before.kind, `${before.kind}-proof`]) {
        if (decideAccess(action, record, who, less).granted)
          expect(decideAccess(action, record, who, more).granted).toBe(true);
      }
      if (mayEnter(who, less)) expect(mayEnter(who, more)).toBe(true);
      if (mayRead(before.kind, who, less)) expect(mayRead(before.kind, who, more)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

it('nothing is granted that no rule grants', () => {
  fc.assert(
    fc.property(kinds, fc.boolean(), actions, records, caller, (kind, policyBased, action, record, who) => {
      const here = context({
        policyBased,
        domains: { a: [] },
        subject: stored(kind, [], { owners: ['bob-key', 'alice-key'] }),
      });
      expect(decideAccess(action, record, who, here).granted).toBe(false);
      expect([
        mayEnter(who, here),
        mayRead(kind, who, here),
        judgeQuery(kind, who, here).granted,
        isVisible(kind, who, here),
      ]).toEqual([false, false, false, false]);
    }),
    { numRuns: 200 },
  );
});

it('a rule with signer grants no read outside domains', () => {
  const signed = fc.array(
    fc.tuple(rule, signers).map(([one, signer]) => ({ ...one, signer })),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(
      scene,
      signed,
      signed,
      fc.constantFrom('read', 'query', 'query-event'),
      caller,
      (base, ledger, own, action, who) => {
        // What the record of a domain says of itself is a rule of a domain (interface/domains#rules-of-a-domain).
        const record = base.kind === 'domain' ? [] : own;
        const here = context(parts({ ...base, ledger, own: record, server: own, domain: [] }));
        expect(decideAccess(action, base.kind, who, here).granted).toBe(false);
      },
    ),
    { numRuns: 300 },
  );
});

it('policies that extend one another in any way end, and each value is found', () => {
  const graph = fc.array(fc.array(fc.nat({ max: 7 }), { maxLength: 3 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(graph, fc.nat({ max: 7 }), fc.boolean(), (edges, last, policyBased) => {
      const target = last % edges.length;
      const policies = edges.map((extended, n) =>
        policy(`p${n}`, n === target ? [{ action: 'read' }] : [], {
          record: 'wallet',
          extend: extended.map((one) => `p${one}`),
          ...(n === 0 ? { status: 'active' } : {}),
        }),
      );
      const here = context({ policyBased, policies, subject: stored('wallet', [{ policy: 'p0' }]) });
      expect(decideAccess('read', 'wallet', { proofs: [] }, here).granted).toBe(reaches(edges, target));
    }),
    { numRuns: 300 },
  );
});

function reaches(edges: readonly (readonly number[])[], target: number): boolean {
  const reached = new Set([0]);
  for (const node of reached) for (const next of edges[node] ?? []) reached.add(next);
  return reached.has(target);
}

it('a long chain of policies does not exhaust the stack', () => {
  const length = 20_000;
  const policies = Array.from({ length }, (_, n) =>
    policy(`p${n}`, n === length - 1 ? [{ action: 'read' }] : [], { record: 'wallet', extend: `p${n + 1}` }),
  );
  const here = context({ policies, subject: stored('wallet', [{ policy: 'p0' }]) });
  expect(decideAccess('read', 'wallet', { proofs: [] }, here).granted).toBe(true);
});
