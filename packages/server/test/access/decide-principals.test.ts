import type { Rule } from '../../src/access/rules.js';
import { decides, type Row } from './rows.js';
import { bare, bears, coming, nobody, registered, signs, stored } from './scene.js';

const alice = registered('alice');
const forAlice = { handle: 'alice' };
const open: Rule[] = [{ action: 'any', record: 'any' }];
const aliceOnKind = (record: Rule['record']): Rule[] => [
  record ? { action: 'any', record, signer: forAlice } : { action: 'any', signer: forAlice },
];

const rules: Row[] = [
  ['no rule, no grant', 'update', 'wallet', signs(alice), { subject: stored('wallet') }, false],
  ['a rule without principals grants to everyone', 'read', 'wallet', nobody, { ledger: open }, true],
  ['… tokenless creates too', 'create', 'wallet', nobody, { ledger: open, subject: coming('wallet') }, true],
  [
    'an action not named is not granted',
    'drop',
    'wallet',
    nobody,
    { ledger: [{ action: 'read', record: 'any' }] },
    false,
  ],
  ['actions by $in', 'drop', 'policy', nobody, { ledger: [{ action: { $in: ['drop'] }, record: 'policy' }] }, true],
  ['… none else', 'read', 'policy', nobody, { ledger: [{ action: { $in: ['drop'] }, record: 'policy' }] }, false],
  ['actions by $nin', 'drop', 'policy', nobody, { ledger: [{ action: { $nin: ['read'] }, record: 'policy' }] }, true],
  ['… not those', 'read', 'policy', nobody, { ledger: [{ action: { $nin: ['read'] }, record: 'policy' }] }, false],
  ['$in with any is any', 'drop', 'policy', nobody, { ledger: [{ action: { $in: ['any'] }, record: 'policy' }] }, true],
  [
    '$nin with any is none',
    'drop',
    'policy',
    nobody,
    { ledger: [{ action: { $nin: ['any'] }, record: 'any' }] },
    false,
  ],
  ['records by $in', 'read', 'wallet', nobody, { ledger: [{ action: 'read', record: { $in: ['wallet'] } }] }, true],
  ['records by $nin', 'read', 'wallet', nobody, { ledger: [{ action: 'read', record: { $nin: ['wallet'] } }] }, false],
  ['any covers actions rules cannot name', 'query-event', 'effect', nobody, { ledger: open }, true],
];

const principals: Row[] = [
  ['any one proof suffices', 'update', 'wallet', signs(bare('bob'), alice), { ledger: aliceOnKind('wallet') }, true],
  ['another key does not', 'update', 'wallet', signs(bare('bob')), { ledger: aliceOnKind('wallet') }, false],
  [
    'rules on public match bare keys',
    'update',
    'wallet',
    signs(bare('bob')),
    { ledger: [{ action: 'update', record: 'wallet', signer: { public: 'bob-key' } }] },
    true,
  ],
  [
    'the impersonated signer counts as a proof',
    'update',
    'wallet',
    bears(alice),
    { ledger: aliceOnKind('wallet') },
    true,
  ],
  [
    'the token of an unregistered key impersonates no one',
    'update',
    'wallet',
    bears(bare('bob')),
    { ledger: [{ action: 'update', record: 'wallet', signer: { public: 'bob-key' } }] },
    false,
  ],
  [
    'bearer rules also count on mutations',
    'update',
    'wallet',
    { ...bears(undefined), proofs: [bare('bob')] },
    { ledger: [{ action: 'update', record: 'wallet', bearer: { sub: 'user' } }] },
    true,
  ],
  [
    'with signer and bearer both must match: proof without token',
    'update',
    'wallet',
    signs(alice),
    { ledger: [{ action: 'update', record: 'wallet', signer: forAlice, bearer: { sub: 'user' } }] },
    false,
  ],
  [
    'with signer and bearer both must match: both',
    'update',
    'wallet',
    { ...bears(undefined), proofs: [alice] },
    { ledger: [{ action: 'update', record: 'wallet', signer: forAlice, bearer: { sub: 'user' } }] },
    true,
  ],
  [
    'a signer rule on a record never grants a read',
    'read',
    'wallet',
    bears(alice),
    { subject: stored('wallet', [{ action: 'any', signer: forAlice }]) },
    false,
  ],
  [
    'a signer rule on the ledger never grants a read',
    'read',
    'wallet',
    bears(alice),
    { ledger: aliceOnKind('any') },
    false,
  ],
  [
    'nor does one matched by a proof',
    'read',
    'wallet',
    signs(alice),
    { ledger: [{ action: 'any', record: 'any', signer: {} }] },
    false,
  ],
  [
    'a bearer rule grants a read to its token',
    'read',
    'wallet',
    bears(alice),
    { subject: stored('wallet', [{ action: 'read', bearer: { $signer: forAlice } }]) },
    true,
  ],
  [
    'ownership alone grants nothing',
    'read',
    'wallet',
    bears(alice),
    { subject: stored('wallet', [], { owners: ['alice-key'] }) },
    false,
  ],
  [
    '$record owner: a key in the owners of the record',
    'update',
    'wallet',
    signs(bare('bob')),
    {
      ledger: [{ action: 'any', record: 'any', signer: { $record: 'owner' } }],
      subject: stored('wallet', [], { owners: ['bob-key'] }),
    },
    true,
  ],
  [
    '$record owner: nobody owns what is about to be made',
    'create',
    'wallet',
    signs(bare('bob')),
    {
      ledger: [{ action: 'any', record: 'any', signer: { $record: 'owner' } }],
      subject: coming('wallet', [], { owners: ['bob-key'] }),
    },
    false,
  ],
  [
    '$ledger owner: a key in the owners of the ledger',
    'create',
    'wallet',
    signs(bare('bob')),
    { ledger: [{ action: 'any', record: 'any', signer: { $ledger: 'owner' } }], owners: ['bob-key'] },
    true,
  ],
  [
    '$circle: membership of this moment',
    'update',
    'wallet',
    signs(registered('alice', { circles: ['staff'] })),
    { ledger: [{ action: 'any', record: 'any', signer: { $circle: 'staff' } }] },
    true,
  ],
  [
    '$circle: a dropped link grants no more',
    'update',
    'wallet',
    signs(alice),
    { ledger: [{ action: 'any', record: 'any', signer: { $circle: 'staff' } }] },
    false,
  ],
];

const factor = stored('signer-factor', [{ action: 'any', signer: forAlice }]);
const secrets: Row[] = [
  [
    'reveal: a signer rule with the key of the token',
    'reveal',
    'signer-factor-secret',
    bears(alice),
    { ledger: aliceOnKind('signer-factor-secret'), subject: factor },
    true,
  ],
  [
    'reveal: the key of a proof does not count',
    'reveal',
    'signer-factor-secret',
    signs(alice),
    { ledger: aliceOnKind('any'), subject: factor },
    false,
  ],
  [
    'reveal: a bearer rule does not count',
    'reveal',
    'signer-factor-secret',
    bears(alice),
    { ledger: [{ action: 'any', record: 'any', bearer: {} }], subject: factor },
    false,
  ],
  [
    "reveal: the factor's own rules do not count",
    'reveal',
    'signer-factor-secret',
    bears(alice),
    { subject: factor },
    false,
  ],
  [
    'reveal: {any, any} grants to all',
    'reveal',
    'signer-factor-secret',
    nobody,
    { ledger: open, subject: factor },
    true,
  ],
];

decides('rules (interface/access#rules)', rules);
decides('principals (interface/access#signer-matchers, interface/access#reads-and-writes)', principals);
decides('secrets (interface/signers#secrets)', secrets);
