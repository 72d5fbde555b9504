import { describe, expect, it } from 'vitest';
import { decideAccess } from '../../src/access/decide.js';
import { DEFAULT_SERVER_RULES, type Rule } from '../../src/access/rules.js';
import { decides, type Row } from './rows.js';
import { bare, bears, coming, context, nobody, policy, registered, signs, stored } from './scene.js';

const alice = registered('alice');
const forAlice = { handle: 'alice' };
const open: Rule[] = [{ action: 'any', record: 'any' }];
const aliceOnKind = (record: Rule['record']): Rule[] => [
  record ? { action: 'any', record, signer: forAlice } : { action: 'any', signer: forAlice },
];

const levels: Row[] = [
  [
    "a record's own rule is about that record",
    'update',
    'wallet',
    signs(alice),
    { subject: stored('wallet', aliceOnKind(undefined)) },
    true,
  ],
  [
    '… a stated record must equal its kind',
    'update',
    'wallet',
    signs(alice),
    { subject: stored('wallet', aliceOnKind('symbol')) },
    false,
  ],
  [
    '… when it does, it has effect',
    'update',
    'wallet',
    signs(alice),
    { subject: stored('wallet', aliceOnKind('wallet')) },
    true,
  ],
  [
    "a record's own rules do not count for its creation",
    'create',
    'wallet',
    signs(alice),
    { subject: coming('wallet', aliceOnKind(undefined)) },
    false,
  ],
  [
    'a ledger rule without record lets change the ledger',
    'update',
    'ledger',
    signs(alice),
    { ledger: aliceOnKind(undefined) },
    true,
  ],
  ['… not create a symbol', 'create', 'symbol', signs(alice), { ledger: aliceOnKind(undefined) }, false],
  ['{read} makes only the ledger readable', 'read', 'ledger', nobody, { ledger: [{ action: 'read' }] }, true],
  ['… not its content', 'read', 'wallet', nobody, { ledger: [{ action: 'read' }] }, false],
  ['record any is needed for content', 'create', 'symbol', signs(alice), { ledger: aliceOnKind('any') }, true],
  [
    'nothing can restrict',
    'update',
    'wallet',
    nobody,
    { ledger: open, subject: stored('wallet', [{ action: 'read', signer: forAlice }]) },
    true,
  ],
  [
    'server rules: anyone creates a ledger with a signed body',
    'create',
    'ledger',
    signs(bare('bob')),
    { server: DEFAULT_SERVER_RULES },
    true,
  ],
  ['… not without', 'create', 'ledger', nobody, { server: DEFAULT_SERVER_RULES }, false],
  ['server rules: read of ledgers for all', 'read', 'ledger', nobody, { server: DEFAULT_SERVER_RULES }, true],
  ['server rules: nothing else', 'update', 'ledger', signs(alice), { server: DEFAULT_SERVER_RULES }, false],
  [
    'a server rule without record is about the server',
    'read',
    'server',
    nobody,
    { server: [{ action: 'read' }] },
    true,
  ],
  ['… not about records', 'read', 'wallet', nobody, { server: [{ action: 'any' }] }, false],
];

const proofs: Row[] = [
  [
    'an intent proof is create on intent-proof',
    'create',
    'intent-proof',
    signs(alice),
    { ledger: aliceOnKind('intent-proof'), subject: stored('intent') },
    true,
  ],
  [
    '{any, any} covers it',
    'create',
    'intent-proof',
    signs(alice),
    { ledger: aliceOnKind('any'), subject: stored('intent') },
    true,
  ],
  [
    '{any, intent} does not',
    'create',
    'intent-proof',
    signs(alice),
    { ledger: aliceOnKind('intent'), subject: stored('intent') },
    false,
  ],
  [
    "… nor do the intent's own rules",
    'create',
    'intent-proof',
    signs(alice),
    { subject: stored('intent', aliceOnKind(undefined)) },
    false,
  ],
  [
    "… nor a domain's",
    'create',
    'intent-proof',
    signs(alice),
    { domains: { a: aliceOnKind('any') }, subject: stored('intent') },
    false,
  ],
  ["… nor the server's", 'create', 'intent-proof', signs(alice), { server: open, subject: stored('intent') }, false],
  [
    "a policy's do",
    'create',
    'intent-proof',
    signs(alice),
    {
      ledger: [{ policy: 'p' }],
      policies: [policy('p', [{ action: 'create' }], { record: 'intent-proof' })],
      subject: stored('intent'),
    },
    true,
  ],
  [
    'other kinds: create on <kind>-proof',
    'create',
    'wallet-proof',
    signs(alice),
    { ledger: aliceOnKind('wallet-proof'), subject: stored('wallet') },
    true,
  ],
  [
    'other kinds: by a domain too',
    'create',
    'wallet-proof',
    signs(alice),
    { domains: { a: aliceOnKind('wallet-proof') }, subject: stored('wallet') },
    true,
  ],
  [
    'other kinds: or update on the record',
    'create',
    'wallet-proof',
    signs(alice),
    { subject: stored('wallet', [{ action: 'update' }]) },
    true,
  ],
  [
    'other kinds: read on the record is not enough',
    'create',
    'wallet-proof',
    signs(alice),
    { subject: stored('wallet', [{ action: 'read' }]) },
    false,
  ],
  [
    'other kinds: update on the kind, from the ledger',
    'create',
    'report-proof',
    signs(alice),
    { ledger: aliceOnKind('report'), subject: stored('report') },
    true,
  ],
];

const domains: Row[] = [
  [
    "rules of the record's domain count",
    'update',
    'wallet',
    signs(alice),
    { domains: { a: aliceOnKind('wallet') }, subject: stored('wallet') },
    true,
  ],
  [
    '… and of every domain above',
    'update',
    'wallet',
    signs(alice),
    { domains: { 'b@a': [], a: aliceOnKind('wallet') }, subject: stored('wallet') },
    true,
  ],
  [
    'rules with record are limited to that kind',
    'update',
    'symbol',
    signs(alice),
    { domains: { a: aliceOnKind('wallet') }, subject: stored('symbol') },
    false,
  ],
  [
    'a domain rule without record is about the domain',
    'update',
    'wallet',
    signs(alice),
    { domains: { a: aliceOnKind(undefined) }, subject: stored('wallet') },
    false,
  ],
  [
    'a creation is judged by the domain it joins',
    'create',
    'wallet',
    signs(alice),
    { domains: { a: aliceOnKind('wallet') }, subject: coming('wallet') },
    true,
  ],
  ['… one that joins none by the ledger', 'create', 'wallet', signs(alice), { subject: coming('wallet') }, false],
  [
    'domain records inherit nothing: no subdomain by {any}',
    'create',
    'domain',
    signs(alice),
    { domains: { a: aliceOnKind(undefined) }, subject: coming('domain') },
    false,
  ],
  [
    'domain records inherit nothing: nor by {any, any}',
    'update',
    'domain',
    signs(alice),
    { domains: { a: aliceOnKind('any') }, subject: stored('domain') },
    false,
  ],
  [
    "a domain's own rules are about it",
    'update',
    'domain',
    signs(alice),
    { subject: stored('domain', aliceOnKind(undefined)) },
    true,
  ],
  [
    "in a domain's rules signer also grants reads to the token's key",
    'read',
    'wallet',
    bears(alice),
    { domains: { a: aliceOnKind('wallet') }, subject: stored('wallet') },
    true,
  ],
  [
    '… a bare key included',
    'read',
    'wallet',
    bears(bare('alice')),
    { domains: { a: [{ action: 'read', record: 'any', signer: { public: 'alice-key' } }] } },
    true,
  ],
];

const circles: Row[] = [
  [
    'adding a circle signer needs assign-signer on the circle',
    'assign-signer',
    'circle',
    signs(alice),
    { subject: stored('circle', [{ action: 'assign-signer' }]) },
    true,
  ],
  [
    '… or create on circle-signer',
    'assign-signer',
    'circle',
    signs(alice),
    { ledger: [{ action: 'create', record: 'circle-signer' }], subject: stored('circle') },
    true,
  ],
  [
    '… not update',
    'assign-signer',
    'circle',
    signs(alice),
    { ledger: [{ action: 'update', record: 'any' }], subject: stored('circle') },
    false,
  ],
  [
    'removing one needs remove-signer',
    'remove-signer',
    'circle',
    signs(alice),
    { subject: stored('circle', [{ action: 'remove-signer' }]) },
    true,
  ],
  [
    '… or drop on circle-signer',
    'remove-signer',
    'circle',
    signs(alice),
    { ledger: [{ action: 'drop', record: 'circle-signer' }], subject: stored('circle') },
    true,
  ],
  [
    '… not assign-signer',
    'remove-signer',
    'circle',
    signs(alice),
    { subject: stored('circle', [{ action: 'assign-signer' }]) },
    false,
  ],
];

decides('levels (interface/access#levels)', levels);
decides('proofs (interface/access#levels)', proofs);
decides('domains (interface/access#levels, interface/domains#rules-of-a-domain)', domains);
decides('circles (interface/circles#members)', circles);

describe('the rule that granted', () => {
  it('is named by level and place', () => {
    const subject = stored('wallet', [{ action: 'drop' }, { action: 'read' }]);
    expect(decideAccess('read', 'wallet', nobody, context({ ledger: open, subject })).by).toEqual({
      level: 'record',
      index: 1,
    });
    expect(decideAccess('update', 'wallet', nobody, context({ ledger: open, subject })).by).toEqual({
      level: 'ledger',
      index: 0,
    });
  });

  it('is named by its policy, extended values first', () => {
    const policies = [
      policy('p', [{ action: 'read' }], { record: 'wallet', status: 'active', extend: 'q' }),
      policy('q', [{ action: 'drop' }, { action: 'read' }], { record: 'wallet' }),
    ];
    expect(decideAccess('read', 'wallet', nobody, context({ policyBased: true, policies })).by).toEqual({
      level: 'policy',
      index: 1,
      policy: 'q',
    });
  });

  it('is absent from a refusal', () => {
    expect(decideAccess('read', 'wallet', nobody, context())).toEqual({ granted: false });
  });
});
