import type { JsonObject } from '@countersign/protocol';
import { type AccessEntry, DEFAULT_SERVER_RULES, type Rule } from '../../src/access/rules.js';
import { decides, type Row } from './rows.js';
import { bears, coming, nobody, type Parts, policy, registered, signs, stored } from './scene.js';

const alice = registered('alice');
const forAlice = { handle: 'alice' };
const open: Rule[] = [{ action: 'any', record: 'any' }];

const readers: AccessEntry[] = [{ policy: 'readers' }];
const anyoneReads = policy('readers', [{ action: 'read' }], { record: 'wallet' });
const readsAs = (entries: AccessEntry[], policies: Parts['policies'] & object, rest: Parts = {}): Parts => ({
  policies,
  subject: stored('wallet', entries),
  ...rest,
});

const references: Row[] = [
  ['a policy counts where it is referenced', 'read', 'wallet', nobody, readsAs(readers, [anyoneReads]), true],
  ['… nowhere else', 'read', 'wallet', nobody, readsAs([], [anyoneReads]), false],
  [
    'status is irrelevant: inactive still grants',
    'read',
    'wallet',
    nobody,
    readsAs(readers, [{ ...anyoneReads, status: 'inactive' }]),
    true,
  ],
  ['an unknown handle grants nothing', 'read', 'wallet', nobody, readsAs(readers, []), false],
  [
    'a policy of another schema grants nothing',
    'read',
    'wallet',
    nobody,
    readsAs(readers, [{ ...anyoneReads, schema: 'status' }]),
    false,
  ],
  [
    'a policy for another record kind grants nothing there',
    'read',
    'wallet',
    nobody,
    readsAs(readers, [{ ...anyoneReads, record: 'symbol' }]),
    false,
  ],
  [
    'a value with a record of its own is about that',
    'read',
    'wallet',
    nobody,
    readsAs(readers, [policy('readers', [{ action: 'read', record: 'wallet' }], { record: 'symbol' })]),
    true,
  ],
  [
    'references by $in',
    'read',
    'wallet',
    nobody,
    readsAs([{ policy: { $in: ['none', 'readers'] } }], [anyoneReads]),
    true,
  ],
  [
    'references on a domain',
    'read',
    'wallet',
    nobody,
    { domains: { a: readers }, policies: [anyoneReads], subject: stored('wallet') },
    true,
  ],
  [
    'references on the ledger',
    'read',
    'wallet',
    nobody,
    { ledger: readers, policies: [anyoneReads], subject: stored('wallet') },
    true,
  ],
  [
    'extended values count',
    'read',
    'wallet',
    nobody,
    readsAs([{ policy: 'more' }], [policy('more', [], { extend: 'readers' }), anyoneReads]),
    true,
  ],
  [
    "… each under its own policy's record",
    'read',
    'wallet',
    nobody,
    readsAs(
      [{ policy: 'more' }],
      [policy('more', [], { extend: 'readers', record: 'wallet' }), { ...anyoneReads, record: 'symbol' }],
    ),
    false,
  ],
  [
    'chains work',
    'read',
    'wallet',
    nobody,
    readsAs(
      [{ policy: 'c' }],
      [policy('c', [], { extend: 'b' }), policy('b', [], { extend: ['x', 'readers'] }), anyoneReads],
    ),
    true,
  ],
  [
    'cycles end',
    'read',
    'wallet',
    nobody,
    readsAs([{ policy: 'a' }], [policy('a', [], { extend: 'b' }), policy('b', [], { extend: 'a' })]),
    false,
  ],
  [
    'a policy in a domain counts for its records',
    'read',
    'wallet',
    nobody,
    readsAs(readers, [{ ...anyoneReads, domain: 'a' }], { domains: { a: [] } }),
    true,
  ],
  [
    '… and below',
    'read',
    'wallet',
    nobody,
    readsAs(readers, [{ ...anyoneReads, domain: 'a' }], { domains: { 'b@a': [], a: [] } }),
    true,
  ],
  [
    '… for no others',
    'read',
    'wallet',
    nobody,
    readsAs(readers, [{ ...anyoneReads, domain: 'a' }], { domains: { c: [] } }),
    false,
  ],
];

/** A policy-based ledger with this one active value for wallets. */
const valued = (value: Parameters<typeof policy>[1][number], rest: Parts = {}): Parts => ({
  policyBased: true,
  policies: [policy('p', [value], { record: 'wallet', status: 'active' })],
  subject: stored('wallet', [], {
    data: { handle: 'w1', schema: 'vault', custom: { team: { name: 'red' }, tags: ['x', 'y'] } },
    meta: { status: 'created', labels: ['vip'], domain: 'a' },
  }),
  ...rest,
});

const strategy: Row[] = [
  [
    'record, domain, ledger and server rules no longer count',
    'read',
    'wallet',
    nobody,
    { policyBased: true, ledger: open, server: open, domains: { a: open }, subject: stored('wallet', open) },
    false,
  ],
  [
    "the server's default ledger read no longer counts",
    'read',
    'ledger',
    nobody,
    { policyBased: true, server: DEFAULT_SERVER_RULES },
    false,
  ],
  ['values of active policies count', 'read', 'wallet', nobody, valued({ action: 'read' }), true],
  [
    '… of others not',
    'read',
    'wallet',
    nobody,
    valued(
      { action: 'read' },
      { policies: [policy('p', [{ action: 'read' }], { record: 'wallet', status: 'created' })] },
    ),
    false,
  ],
  [
    'extended ones contribute whatever their status',
    'read',
    'wallet',
    nobody,
    valued(
      { action: 'read' },
      {
        policies: [
          policy('q', [], { extend: 'p', status: 'active' }),
          policy('p', [{ action: 'read' }], { record: 'wallet', status: 'inactive' }),
        ],
      },
    ),
    true,
  ],
  [
    'a value about nothing grants nothing',
    'read',
    'ledger',
    nobody,
    { policyBased: true, policies: [policy('p', [{ action: 'any' }], { status: 'active' })] },
    false,
  ],
  [
    'a policy in a domain applies there',
    'read',
    'wallet',
    nobody,
    valued(
      { action: 'read' },
      {
        domains: { a: [] },
        policies: [policy('p@a', [{ action: 'read' }], { record: 'wallet', status: 'active', domain: 'a' })],
      },
    ),
    true,
  ],
  [
    '… only',
    'read',
    'wallet',
    nobody,
    valued(
      { action: 'read' },
      {
        domains: {},
        policies: [policy('p@a', [{ action: 'read' }], { record: 'wallet', status: 'active', domain: 'a' })],
      },
    ),
    false,
  ],
  [
    '… creations by the domain joined',
    'create',
    'wallet',
    nobody,
    valued(
      { action: 'create' },
      {
        domains: { a: [] },
        subject: coming('wallet'),
        policies: [policy('p@a', [{ action: 'create' }], { record: 'wallet', status: 'active', domain: 'a' })],
      },
    ),
    true,
  ],
  [
    'a signer value grants no read',
    'read',
    'wallet',
    bears(alice),
    valued({ action: 'read', signer: forAlice }),
    false,
  ],
  [
    'a signer value grants a mutation',
    'update',
    'wallet',
    signs(alice),
    valued({ action: 'update', signer: forAlice }),
    true,
  ],
];

const filters: Row[] = [
  [
    'filter: keys are relative to data',
    'read',
    'wallet',
    nobody,
    valued({ action: 'read', filter: { handle: 'w1' } }),
    true,
  ],
  ['filter: another value', 'read', 'wallet', nobody, valued({ action: 'read', filter: { handle: 'w2' } }), false],
  [
    'filter: operators',
    'read',
    'wallet',
    nobody,
    valued({ action: 'read', filter: { handle: { $in: ['w1', 'w2'] } } }),
    true,
  ],
  [
    'filter: every key must hold',
    'read',
    'wallet',
    nobody,
    valued({ action: 'read', filter: { handle: 'w1', schema: 'till' } }),
    false,
  ],
  [
    'filter: custom by path',
    'read',
    'wallet',
    nobody,
    valued({ action: 'read', filter: { 'custom.team.name': 'red' } }),
    true,
  ],
  [
    'filter: any element of an array',
    'read',
    'wallet',
    nobody,
    valued({ action: 'read', filter: { 'custom.tags': 'y' } }),
    true,
  ],
  [
    'filter: inherited members are absent',
    'read',
    'wallet',
    nobody,
    valued({ action: 'read', filter: { 'custom.constructor.name': 'Object' } }),
    false,
  ],
  ['filter: meta.labels', 'read', 'wallet', nobody, valued({ action: 'read', filter: { 'meta.labels': 'vip' } }), true],
  [
    'filter: meta.domain and meta.status',
    'read',
    'wallet',
    nobody,
    valued({ action: 'read', filter: { 'meta.domain': 'a', 'meta.status': 'created' } }),
    true,
  ],
  [
    'filter: of a create, on what is to be',
    'create',
    'wallet',
    nobody,
    valued({ action: 'create', filter: { handle: 'one' } }, { subject: coming('wallet') }),
    true,
  ],
  [
    'invoke: fulfilled',
    'create',
    'wallet',
    nobody,
    valued(
      { action: 'create', invoke: 'wallet.canSpendAllChangedRouteTargets' },
      { invoke: (name) => name === 'wallet.canSpendAllChangedRouteTargets' },
    ),
    true,
  ],
  [
    'invoke: not fulfilled, the value does not grant',
    'create',
    'wallet',
    nobody,
    valued({ action: 'create', invoke: 'other' }, { invoke: () => false }),
    false,
  ],
  [
    'invoke: with none to ask, the value does not grant',
    'create',
    'wallet',
    nobody,
    valued({ action: 'create', invoke: 'other' }),
    false,
  ],
];

/** A record of which only so much is known, and a value with that filter. */
const partly = (known: 'name' | 'data', filter: JsonObject, hopeful: Parts = {}): Parts => ({
  ...valued({ action: 'read', filter }, hopeful),
  subject: stored('wallet', [], { data: { handle: 'w1' }, meta: { domain: 'north' }, exists: false, known }),
});

const unknown: Row[] = [
  ['a name that is known', 'read', 'wallet', nobody, partly('name', { handle: { $ne: 'w2' } }), true],
  ['a domain that is known', 'read', 'wallet', nobody, partly('name', { 'meta.domain': { $ne: 'south' } }), true],
  ['a member that is not known', 'read', 'wallet', nobody, partly('name', { schema: { $ne: 'till' } }), false],
  ['one that is known not to be there', 'read', 'wallet', nobody, partly('data', { schema: { $ne: 'till' } }), true],
  ['a status that is not known', 'read', 'wallet', nobody, partly('data', { 'meta.status': { $ne: 'x' } }), false],
  ['labels that are not known', 'read', 'wallet', nobody, partly('data', { 'meta.labels': { $nin: ['x'] } }), false],
  ['hoped for', 'read', 'wallet', nobody, partly('name', { schema: 'till' }, { hopeful: true }), true],
  ['hoped for in vain', 'read', 'wallet', nobody, partly('name', { handle: 'w2' }, { hopeful: true }), false],
];

decides('policy references (interface/policies#access-policies)', references);
decides('policy-based ledgers (interface/policies#access-policies)', strategy);
decides('filter and invoke (interface/policies#access-policies)', filters);
decides('filters on what is not known', unknown);
