import type { JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { deploy } from '../access-http/deployment.js';
import { founded, GATE, readBy, registered, underPolicies } from '../access-http/support.js';
import { newKey, type TestAnswer, type TestKey } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withServer();

/** What a refusal says in `custom`. */
function hintOf(answer: TestAnswer): string | undefined {
  expect(answer.body.data.reason).toMatch(/^auth\./);
  return answer.body.data.custom?.hint;
}

const READS_BY_TOKEN =
  'access[2] of the ledger grants this by "signer", which signatures meet. A read carries a token only: add a rule with ' +
  '"bearer": {"$signer": {…}}.';
const WITHOUT_RECORD =
  'access[2] of the ledger has no "record", and so is about the ledger\'s own record: add "record": "wallet", or "any".';

describe('a read that a rule grants to signatures only', () => {
  it('is told that a read carries a token', async () => {
    const ada = newKey();
    const founder = await founded(server.current.url, [
      { action: 'any', record: 'any', signer: { public: ada.public } },
    ]);
    await founder.create('/wallets', { handle: 'shop' });
    for (const path of ['/wallets/shop', '/wallets/shop/changes', '/wallets/shop/balances']) {
      expect(hintOf(await readBy(founder, ada, path)), path).toBe(READS_BY_TOKEN);
      expect(hintOf(await readBy(founder, newKey(), path)), path).toBeUndefined();
      expect(hintOf(await founder.get(path)), path).toBeUndefined();
    }
  });

  it('is told so of a list', async () => {
    const ada = newKey();
    const rule = { action: 'read', record: 'wallet', signer: { public: ada.public } };
    const founder = await founded(server.current.url, [rule]);
    expect(hintOf(await readBy(founder, ada, '/wallets'))).toBe(READS_BY_TOKEN);
    expect(hintOf(await readBy(founder, newKey(), '/wallets'))).toBeUndefined();
  });

  it('is told so by handle and circle, for who is meant', async () => {
    const founder = await founded(server.current.url, [
      GATE,
      { action: 'read', record: 'wallet', signer: { handle: 'ada' } },
    ]);
    const [ada, ben] = [await registered(founder, 'ada'), await registered(founder, 'ben')];
    await founder.create('/wallets', { handle: 'shop' });
    expect(hintOf(await readBy(founder, ada, '/wallets/shop'))).toContain(
      'access[3] of the ledger grants this by "signer"',
    );
    expect(hintOf(await readBy(founder, ben, '/wallets/shop'))).toBeUndefined();
  });
});

describe('a write', () => {
  const create = async (rules: (ada: TestKey) => JsonObject[], headers?: object): Promise<string | undefined> => {
    const ada = newKey();
    const founder = await founded(server.current.url, rules(ada));
    if (headers) return hintOf(await readBy(founder, ada, '/wallets'));
    return hintOf(await founder.as(ada).create('/wallets', { handle: 'shop' }));
  };

  it('under a rule without `record` is told to name it', async () => {
    expect(await create((ada) => [{ action: 'any', signer: { public: ada.public } }])).toBe(WITHOUT_RECORD);
    expect(await create(() => [{ action: 'any', signer: { public: newKey().public } }])).toBeUndefined();
  });

  it('under a rule for tokens is told that it carries a signature', async () => {
    expect(await create((ada) => [{ action: 'any', record: 'any', bearer: { $signer: { public: ada.public } } }])).toBe(
      'access[2] of the ledger grants this by "bearer", which tokens meet. This request carries a signature only: add a rule ' +
        'with "signer".',
    );
    expect(await create(() => [{ action: 'any', record: 'any', bearer: { iss: 'cli' } }])).toBeUndefined();
  });

  it('that is stopped at the gate is told of the gate', async () => {
    const gate =
      'Rules of the ledger grant this, but none lets the caller in: add one with "action": "access" for it, or "any" on "any".';
    const rule = (ada: TestKey) => ({ action: 'any', record: 'wallet', signer: { public: ada.public } });
    expect(await create((ada) => [rule(ada)])).toBe(gate);
  });
});

describe('a hint on access', () => {
  it('tells nothing of the rules of a record', async () => {
    const [ada, ben] = [newKey(), newKey()];
    const founder = await founded(server.current.url, [GATE, { action: 'create', record: 'wallet' }]);
    for (const [handle, access] of [
      ['open', [{ action: 'read', signer: { public: ada.public } }]],
      ['closed', [{ action: 'read', bearer: { $signer: { public: ben.public } } }]],
      ['bare', []],
    ] as const) {
      await founder.create('/wallets', { handle, access: [...access] });
    }
    const answers = await Promise.all(
      ['open', 'closed', 'bare'].map((handle) => founder.get(`/wallets/${handle}`, bearer(ada))),
    );
    for (const { status, body } of answers) {
      expect([status, body.data]).toEqual([403, { reason: 'auth.forbidden', detail: 'Cannot read wallet.' }]);
    }
  });

  it('is for those who may read the rules of the ledger', async () => {
    const database = await createDatabase();
    const closed = await deploy(database, { serverRules: [{ action: 'create', record: 'ledger', signer: {} }] });
    try {
      const ada = newKey();
      const founder = await founded(closed.url, [
        { action: 'any', record: 'wallet', signer: { public: ada.public } },
        GATE,
      ]);
      expect((await readBy(founder, ada, '/ledger')).status).toBe(403);
      await founder.create('/wallets', { handle: 'shop' });
      expect(hintOf(await readBy(founder, ada, '/wallets/shop'))).toBeUndefined();
    } finally {
      await closed.stop();
      await database.drop();
    }
  });

  it('is left out under policies, and of a ledger with more than 100 rules', async () => {
    const ada = newKey();
    const rule = { action: 'read', record: 'wallet', signer: { public: ada.public } };
    const policy = { handle: 'all', record: 'any', values: [rule] };
    expect(hintOf(await readBy(await underPolicies(server.current.url, [policy]), ada, '/wallets'))).toBeUndefined();
    const filling = Array.from({ length: 97 }, () => ({ action: 'read', record: 'symbol' }));
    const most = await founded(server.current.url, [rule, ...filling]);
    expect(hintOf(await readBy(most, ada, '/wallets'))).toBe(READS_BY_TOKEN);
    const more = await founded(server.current.url, [rule, ...filling, ...filling.slice(0, 1)]);
    expect(hintOf(await readBy(more, ada, '/wallets'))).toBeUndefined();
  });
});
