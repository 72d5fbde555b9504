import type { Json, JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { newKey, newLedger, type TestAnswer, type TestClient } from '../support/client.js';
import { stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { everythingFor, founded, GATE, outcome, readBy, registered } from './support.js';

const server = withServer();

/** What a stranger is told who tries everything on one wallet and on the ledger. */
async function attempts(founder: TestClient, walletAccess: Json[] = []): Promise<Record<string, string>> {
  const stranger = founder.as(newKey());
  const wallet = await stored(founder, 'wallet', { handle: 'w', access: walletAccess });
  const ledger = (await founder.get('/ledger')).body;
  const { parent: _, ...ledgerData } = ledger.data;
  const tries: Record<string, () => Promise<TestAnswer>> = {
    'read wallet': () => readBy(founder, stranger.key, '/wallets/w'),
    'list wallets': () => readBy(founder, stranger.key, '/wallets'),
    'create wallet': () => stranger.create('/wallets', { handle: 'new' }),
    'create symbol': () => stranger.create('/symbols', { handle: 'new', factor: 1 }),
    'prove wallet': () => stranger.prove('/wallets/w', wallet, { note: 'x' }),
    'update ledger': () => stranger.update('/ledger', ledger, ledgerData),
  };
  const told: Record<string, string> = {};
  for (const [name, attempt] of Object.entries(tries)) {
    const answer = outcome(await attempt());
    if (answer.startsWith('20')) told[name] = answer;
    else expect(answer, name).toMatch(/^403 Cannot /);
  }
  return told;
}

const READ = ['read wallet', 'list wallets'];

describe('rules of the ledger, for everyone (interface/access#levels, interface/access#gate)', () => {
  it.each<[title: string, rules: JsonObject[], allowed: string[]]>([
    ['none: nothing', [], []],
    ['the gate: to list, and see nothing', [GATE], ['list wallets']],
    ['the gate by {any} on the ledger', [{ action: 'any' }], ['list wallets', 'update ledger']],
    ['the gate by {access, any}', [{ action: 'access', record: 'any' }], ['list wallets']],
    ['the gate of another kind is none', [{ action: 'access', record: 'wallet' }], []],
    ['{any, any} opens everything', [{ action: 'any', record: 'any' }], ['*']],
    ['without record: about the ledger only', [GATE, { action: 'read' }], ['list wallets']],
    ['create needs the gate', [{ action: 'create', record: 'wallet' }], []],
    ['create with the gate', [GATE, { action: 'create', record: 'wallet' }], ['list wallets', 'create wallet']],
    ['read needs no gate where the ledger grants this very read', [{ action: 'read', record: 'wallet' }], READ],
    ['{read, any}', [{ action: 'read', record: 'any' }], READ],
    ['read of another kind', [{ action: 'read', record: 'symbol' }], []],
    ['query without read shows nothing', [GATE, { action: 'query', record: 'wallet' }], ['list wallets']],
    [
      '$in and $nin of actions and records',
      [GATE, { action: { $in: ['create', 'read'] }, record: { $nin: ['symbol', 'ledger'] } }],
      [...READ, 'create wallet', 'prove wallet'],
    ],
    ['$nin of any grants nothing', [GATE, { action: { $nin: ['any'] }, record: 'any' }], ['list wallets']],
    ['$in of any grants everything', [{ action: { $in: ['any'] }, record: { $in: ['any'] } }], ['*']],
    ['an empty $in grants nothing', [{ action: { $in: [] }, record: 'any' }], []],
    ['an empty $nin grants everything', [{ action: { $nin: [] }, record: 'any' }], ['*']],
    ['a proof by update of the kind', [GATE, { action: 'update', record: 'wallet' }], ['list wallets', 'prove wallet']],
    [
      'a proof by create of its proofs',
      [GATE, { action: 'create', record: 'wallet-proof' }],
      ['list wallets', 'prove wallet'],
    ],
    ['a signer rule never grants a read', [{ action: 'read', record: 'any', signer: {} }], []],
    ['a bearer rule does', [{ action: 'read', record: 'any', bearer: {} }], READ],
  ])('%s', async (_, rules, allowed) => {
    const told = Object.keys(await attempts(await founded(server.current.url, rules)));
    if (allowed[0] === '*') expect(told).toHaveLength(6);
    else expect(told.toSorted()).toEqual(allowed.toSorted());
  });
});

describe('rules of the record, for everyone, behind an open gate (interface/access#levels)', () => {
  it.each<[title: string, rules: JsonObject[], allowed: string[]]>([
    ['none: nothing', [], []],
    ['without record: about this record', [{ action: 'read' }], ['read wallet']],
    ['{any}', [{ action: 'any' }], ['read wallet', 'prove wallet']],
    ['its own kind', [{ action: 'update', record: 'wallet' }], ['prove wallet']],
    ['any', [{ action: 'update', record: 'any' }], ['prove wallet']],
    ['another kind has no effect', [{ action: 'any', record: 'symbol' }], []],
    ['a set without its kind has none', [{ action: 'any', record: { $nin: ['wallet'] } }], []],
    ['a signer rule never grants a read', [{ action: 'read', signer: {} }], []],
    ['a signer rule grants a write', [{ action: 'update', signer: {} }], ['prove wallet']],
    ['a bearer rule grants a read', [{ action: 'read', bearer: {} }], ['read wallet']],
    ['create on a record makes nothing', [{ action: 'create' }], []],
  ])('%s', async (_, rules, allowed) => {
    const told = await attempts(await founded(server.current.url, [GATE]), rules);
    expect(Object.keys(told).toSorted()).toEqual(['list wallets', ...allowed].toSorted());
  });

  it('are of no use to who does not pass the gate (interface/access#gate)', async () => {
    expect(await attempts(await founded(server.current.url), [{ action: 'any' }])).toEqual({});
  });

  it('of one record say nothing about another', async () => {
    const founder = await founded(server.current.url, [GATE]);
    await stored(founder, 'wallet', { handle: 'open', access: [{ action: 'any', record: 'any' }] });
    const closed = await stored(founder, 'wallet', { handle: 'closed' });
    const stranger = founder.as(newKey());
    expect(outcome(await founder.get('/wallets/open'))).toBe('200');
    expect(outcome(await founder.get('/wallets/closed'))).toBe(
      '401 Missing token: send one in the header authorization; a write may be signed instead.',
    );
    expect(outcome(await stranger.drop('/wallets/closed', closed))).toBe('403 Cannot drop wallet.');
  });

  it('of a body decide nothing about its own creation', async () => {
    const founder = await founded(server.current.url, [GATE]);
    const rules = [{ action: 'any', record: 'any' }];
    const answer = await founder.as(newKey()).create('/wallets', { handle: 'w', access: rules });
    expect(outcome(answer)).toBe('403 Cannot create wallet.');
  });

  it('of an update decide nothing about that update', async () => {
    const founder = await founded(server.current.url, [GATE]);
    const record = await stored(founder, 'wallet', { handle: 'w' });
    const stranger = founder.as(newKey());
    const open = { handle: 'w', access: [{ action: 'any' }] };
    expect(outcome(await stranger.update('/wallets/w', record, open))).toBe('403 Cannot update wallet.');
    const opened = (await founder.update('/wallets/w', record, open)).body;
    expect(outcome(await stranger.update('/wallets/w', opened, { handle: 'w' }))).toBe('200');
    expect(outcome(await stranger.update('/wallets/w', opened, { handle: 'w' }))).toBe('403 Cannot update wallet.');
  });
});

describe('the gate (interface/access#gate)', () => {
  it('is passed by the key of a token too, and by a bearer rule', async () => {
    const [byKey, byToken] = [newKey(), newKey()];
    const founder = await founded(server.current.url, [
      { action: 'access', signer: { public: byKey.public } },
      { action: 'access', bearer: { $signer: { public: byToken.public } } },
    ]);
    await stored(founder, 'wallet', { handle: 'w', access: [{ action: 'read' }] });
    expect(outcome(await readBy(founder, byKey, '/wallets/w'))).toBe('200');
    expect(outcome(await readBy(founder, byToken, '/wallets/w'))).toBe('200');
    expect(outcome(await readBy(founder, newKey(), '/wallets/w'))).toBe('403 Cannot read wallet.');
    expect(outcome(await founder.get('/wallets/w'))).toBe(
      '401 Missing token: send one in the header authorization; a write may be signed instead.',
    );
  });

  it("is the ledger's own: a domain's rule does not open it", async () => {
    const founder = await founded(server.current.url);
    await stored(founder, 'domain', { handle: 'a', access: [{ action: 'any', record: 'any' }] });
    const answer = await founder.as(newKey()).create('/wallets', { handle: 'w@a' });
    expect(outcome(answer)).toBe('403 Cannot create wallet.');
  });

  it('follows the ledger: closed, it counts for the next request', async () => {
    const founder = await founded(server.current.url, [GATE, { action: 'create', record: 'wallet' }]);
    const stranger = founder.as(newKey());
    expect(outcome(await stranger.create('/wallets', { handle: 'w-1' }))).toBe('201');
    const ledger = (await founder.get('/ledger')).body;
    const closed = { handle: ledger.data.handle, signer: 'system', access: everythingFor(founder.key) };
    expect(outcome(await founder.update('/ledger', ledger, closed))).toBe('200');
    expect(outcome(await stranger.create('/wallets', { handle: 'w-2' }))).toBe('403 Cannot create wallet.');
  });
});

describe('adding proofs to intents', () => {
  const claims = [{ action: 'issue', target: { handle: 'w' }, symbol: { handle: 'usd' }, amount: 1 }];

  it.each<[title: string, ledger: JsonObject[], record: JsonObject[], errors: number | undefined]>([
    ['no rule', [GATE], [], 2],
    ["the intent's own rule does not count", [GATE], [{ action: 'any', record: 'any' }], 2],
    ["a ledger's rule about proofs", [GATE, { action: 'create', record: 'intent-proof' }], [], undefined],
    ['… for another signer', [GATE, { action: 'create', record: 'intent-proof', signer: { handle: 'x' } }], [], 3],
    ['update of the intent is not enough', [GATE, { action: 'update', record: 'intent' }], [], 2],
  ])('%s (interface/access#refusals, interface/access#levels)', async (_, rules, access, errors) => {
    const founder = await founded(server.current.url, rules);
    const intent = await stored(founder, 'intent', { handle: 'i', claims, access });
    const answer = await founder.as(newKey()).prove('/intents/i', intent, { note: 'x' });
    if (errors === undefined) {
      expect(outcome(answer)).toBe('200');
    } else {
      expect(outcome(answer)).toBe('403 Missing permissions');
      // One entry more for each of the founder's rules for a signer.
      expect(answer.body.data.custom.errors).toEqual(Array(errors + 1).fill('Cannot find required signer.'));
    }
  });
});

describe('who has no token and no proof is told 401, who has either 403 (interface/tokens#refused-tokens)', () => {
  it('on reads, lists and histories', async () => {
    const founder = await founded(server.current.url);
    await stored(founder, 'wallet', { handle: 'w' });
    for (const path of ['/wallets/w', '/wallets', '/wallets/w/changes', '/wallets/w/changes/1']) {
      expect(outcome(await founder.get(path)), path).toBe(
        '401 Missing token: send one in the header authorization; a write may be signed instead.',
      );
      expect(outcome(await readBy(founder, newKey(), path)), path).toMatch(/^403 Cannot (read|query) wallet\.$/);
    }
  });

  it('a bad token is 401 even where everyone may', async () => {
    const open = await newLedger(server.current.url);
    expect(outcome(await open.get('/wallets'))).toBe('200');
    for (const authorization of ['Bearer x', 'Bearer', 'Basic YTpi', 'Bearer a.b.c']) {
      expect(outcome(await open.get('/wallets', { authorization })), authorization).toBe('401 Invalid token.');
    }
  });

  it('a record that is not there is 404 for everyone', async () => {
    const founder = await founded(server.current.url);
    expect(outcome(await founder.get('/wallets/ghost'))).toBe('404 Wallet not found');
    expect(outcome(await founder.as(newKey()).get('/wallets/ghost'))).toBe('404 Wallet not found');
  });

  it('a token of a key no signer has signs no write (interface/access#refusals)', async () => {
    const founder = await founded(server.current.url, [{ action: 'any', record: 'any' }]);
    const key = newKey();
    const alice = await registered(founder, 'alice');
    const body = { data: { handle: 'w' }, meta: { proofs: [{ custom: { status: 'created' } }] } };
    const sent = (who: typeof key) => founder.call('POST', '/wallets', body, bearer(who));
    expect(outcome(await sent(key))).toBe('422 Ledger mutations must be signed.');
    expect(outcome(await sent(alice))).toBe('201');
  });
});
