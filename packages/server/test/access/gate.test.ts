import { expect, it } from 'vitest';
import type { Caller } from '../../src/access/caller.js';
import { isVisible, judgeQuery, may, mayEnter, mayRead, passesGate } from '../../src/access/decide.js';
import { DEFAULT_SERVER_RULES, type Rule } from '../../src/access/rules.js';
import { bare, bears, coming, context, nobody, type Parts, policy, registered, signs, stored } from './scene.js';

const alice = registered('alice');
const bob = bare('bob');
const enterBob: Rule = { action: 'access', signer: { public: 'bob-key' } };

it.each<[string, Caller, Parts, boolean]>([
  ['access by a proof', signs(bob), { ledger: [enterBob] }, true],
  ['{access, signer} lets in with only a token', bears(bob), { ledger: [enterBob] }, true],
  ['{access, bearer} too', bears(undefined), { ledger: [{ action: 'access', bearer: { sub: 'user' } }] }, true],
  ['no one else', bears(alice), { ledger: [enterBob] }, false],
  ['action any', nobody, { ledger: [{ action: 'any' }] }, true],
  ['record ledger', nobody, { ledger: [{ action: 'access', record: 'ledger' }] }, true],
  ['record any', nobody, { ledger: [{ action: 'access', record: 'any' }] }, true],
  ['not record wallet', nobody, { ledger: [{ action: 'any', record: 'wallet' }] }, false],
  ["from the ledger's own rules only: not the server's", nobody, { server: [{ action: 'any', record: 'any' }] }, false],
  ["… not a domain's", nobody, { domains: { a: [{ action: 'any', record: 'any' }] } }, false],
  ["… not the record's", nobody, { subject: stored('wallet', [{ action: 'any', record: 'any' }]) }, false],
  [
    'by a referenced policy',
    nobody,
    { ledger: [{ policy: 'p' }], policies: [policy('p', [{ action: 'access' }])] },
    true,
  ],
  [
    'owners of the ledger, as its record',
    signs(bob),
    { ledger: [{ action: 'access', signer: { $record: 'owner' } }], owners: ['bob-key'] },
    true,
  ],
  [
    'policy-based: the ledger rules let no one in',
    nobody,
    { policyBased: true, ledger: [{ action: 'any', record: 'any' }] },
    false,
  ],
  [
    'policy-based: an active value on ledger',
    nobody,
    { policyBased: true, policies: [policy('p', [{ action: 'access' }], { record: 'ledger', status: 'active' })] },
    true,
  ],
  [
    'policy-based: an active value on any',
    nobody,
    { policyBased: true, policies: [policy('p', [{ action: 'access', record: 'any' }], { status: 'active' })] },
    true,
  ],
  [
    'policy-based: not one on wallet',
    nobody,
    { policyBased: true, policies: [policy('p', [{ action: 'any' }], { record: 'wallet', status: 'active' })] },
    false,
  ],
  [
    'policy-based: not one that is not active',
    nobody,
    { policyBased: true, policies: [policy('p', [{ action: 'access' }], { record: 'ledger', status: 'created' })] },
    false,
  ],
  [
    "policy-based: a signer value takes the token's key",
    bears(bob),
    {
      policyBased: true,
      policies: [
        policy('p', [{ action: 'access', signer: { public: 'bob-key' } }], { record: 'ledger', status: 'active' }),
      ],
    },
    true,
  ],
  [
    'policy-based: a filtered value judges no record here',
    nobody,
    {
      policyBased: true,
      policies: [
        policy('p', [{ action: 'access', filter: { handle: { $ne: 'x' } } }], { record: 'ledger', status: 'active' }),
      ],
      subject: stored('wallet'),
    },
    false,
  ],
])('mayEnter: %s (interface/access#gate)', (_, caller, parts, entered) => {
  expect(mayEnter(caller, context(parts))).toBe(entered);
});

it('a mutation always needs the gate (interface/access#gate)', () => {
  const ledger: Rule[] = [{ action: 'create', record: 'intent' }];
  const subject = coming('intent');
  expect(passesGate(signs(bob), context({ ledger, subject }), true, 'create', 'intent')).toBe(false);
  expect(may('create', 'intent', signs(bob), context({ ledger, subject }))).toBe(false);
  expect(may('create', 'intent', signs(bob), context({ ledger: [...ledger, enterBob], subject }))).toBe(true);
  expect(may('create', 'wallet', signs(bob), context({ ledger: [...ledger, enterBob], subject }))).toBe(false);
});

it.each<[string, Caller, Parts, boolean]>([
  ['a ledger rule grants this very read', nobody, { ledger: [{ action: 'read', record: 'any' }] }, true],
  ['… of another kind', nobody, { ledger: [{ action: 'read', record: 'symbol' }] }, false],
  ['a server rule grants it', nobody, { server: [{ action: 'read', record: 'wallet' }] }, true],
  [
    'a record rule is useless without the gate',
    bears(bob),
    { subject: stored('wallet', [{ action: 'read', bearer: {} }]) },
    false,
  ],
  [
    '… and enough with it',
    bears(bob),
    { ledger: [enterBob], subject: stored('wallet', [{ action: 'read', bearer: {} }]) },
    true,
  ],
  [
    'a domain rule is useless without the gate',
    bears(bob),
    { domains: { a: [{ action: 'read', record: 'any' }] } },
    false,
  ],
  ['the gate alone is no read', bears(bob), { ledger: [enterBob], subject: stored('wallet') }, false],
  [
    'policy-based: an open read does not replace the gate',
    nobody,
    { policyBased: true, policies: [policy('p', [{ action: 'read' }], { record: 'wallet', status: 'active' })] },
    false,
  ],
])('mayRead: %s (interface/access#gate)', (_, caller, parts, readable) => {
  expect(mayRead('wallet', caller, context(parts))).toBe(readable);
});

it('the default server rules make the record of a record-based ledger readable (interface/ledgers#create-a-ledger)', () => {
  const subject = stored('ledger');
  expect(mayRead('ledger', nobody, context({ server: DEFAULT_SERVER_RULES, subject }))).toBe(true);
  expect(mayRead('ledger', nobody, context({ server: DEFAULT_SERVER_RULES, subject, policyBased: true }))).toBe(false);
});

it.each<[string, Caller, Parts, boolean]>([
  ['decided by the gate', bears(bob), { ledger: [enterBob] }, true],
  ['or a ledger rule granting read', nobody, { ledger: [{ action: 'read', record: 'wallet' }] }, true],
  ['not by a rule granting query', nobody, { ledger: [{ action: 'query', record: 'wallet' }] }, false],
  ['not for a stranger', nobody, { ledger: [enterBob] }, false],
  [
    'policy-based: by the gate only',
    nobody,
    { policyBased: true, policies: [policy('p', [{ action: 'any' }], { record: 'wallet', status: 'active' })] },
    false,
  ],
])('judgeQuery: %s (interface/access#lists)', (_, caller, parts, listed) => {
  expect(judgeQuery('wallet', caller, context(parts)).granted).toBe(listed);
});

const active = (value: Rule & { filter?: { handle: string } }): Parts => ({
  policyBased: true,
  policies: [policy('p', [value], { record: 'wallet', status: 'active' })],
  subject: stored('wallet'),
});

it.each<[string, Caller, Parts, boolean]>([
  ['record-based: visible = readable', nobody, { subject: stored('wallet', [{ action: 'read' }]) }, true],
  ['record-based: query shows nothing', nobody, { subject: stored('wallet', [{ action: 'query' }]) }, false],
  [
    'record-based: a signer rule shows nothing',
    bears(alice),
    { subject: stored('wallet', [{ action: 'any', signer: {} }]) },
    false,
  ],
  [
    "policy-based: query for the token's key by signer",
    bears(alice),
    active({ action: 'query', signer: { handle: 'alice' } }),
    true,
  ],
  [
    'policy-based: by bearer.$signer',
    bears(alice),
    active({ action: 'query', bearer: { $signer: { handle: 'alice' } } }),
    true,
  ],
  ['policy-based: any', bears(alice), active({ action: 'any', signer: { handle: 'alice' } }), true],
  ['policy-based: a read value shows nothing', bears(alice), active({ action: 'read' }), false],
  ['policy-based: nor a filtered one', bears(alice), active({ action: 'read', filter: { handle: 'one' } }), false],
  [
    'policy-based: a filtered query shows what fits',
    bears(alice),
    active({ action: 'query', filter: { handle: 'one' } }),
    true,
  ],
  ['policy-based: and nothing else', bears(alice), active({ action: 'query', filter: { handle: 'two' } }), false],
  ['policy-based: query without principal is for all', nobody, active({ action: 'query' }), true],
])('visible: %s (interface/access#lists)', (_, caller, parts, shown) => {
  expect(isVisible('wallet', caller, context(parts))).toBe(shown);
});
