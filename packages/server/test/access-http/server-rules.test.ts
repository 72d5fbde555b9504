import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessLimits } from '../../src/access/access-limits.js';
import { DEFAULT_SERVER_RULES, type Rule } from '../../src/access/rules.js';
import { parseServerRules } from '../../src/access/server-rules.js';
import { parseConfig } from '../../src/config.js';
import { newKey, noteLedger, TestClient } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { stored } from '../support/scene.js';
import { type Deployed, deploy } from './deployment.js';
import { founded, outcome, readBy, underPolicies } from './support.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createMigratedDatabase();
});

afterAll(async () => {
  await database?.drop();
});

/** Runs `work` against a server with those rules. */
async function under(
  serverRules: readonly Rule[] | undefined,
  work: (server: Deployed) => Promise<void>,
): Promise<void> {
  const server = await deploy(database, serverRules ? { serverRules } : {});
  try {
    await work(server);
  } finally {
    await server.stop();
  }
}

const makers: Rule = { action: 'create', record: 'ledger', signer: {} };

describe('rules of the server (interface/access#levels)', () => {
  it('by default let anyone who signs make ledgers, and all read their records', async () => {
    await under(undefined, async ({ url }) => {
      const founder = await founded(url);
      expect(outcome(await founder.get('/ledger'))).toBe('200');
      expect(outcome(await founder.get('/ledger/changes'))).toBe('200');
      expect(outcome(await founder.get('/wallets'))).toBe(
        '401 Missing token: send one in the header authorization; a write may be signed instead.',
      );
    });
  });

  it('hold on every record-based ledger, for reads without its gate', async () => {
    await under([makers, { action: 'read', record: 'wallet' }], async ({ url }) => {
      const founder = await founded(url);
      await stored(founder, 'wallet', { handle: 'w' });
      await stored(founder, 'symbol', { handle: 's', factor: 1 });
      const strange = newKey();
      expect(outcome(await founder.get('/wallets/w'))).toBe('200');
      expect((await founder.get('/wallets')).body.data).toHaveLength(1);
      expect(outcome(await readBy(founder, strange, '/symbols/s'))).toBe('403 Cannot read symbol.');
      expect(outcome(await founder.get('/ledger'))).toBe(
        '401 Missing token: send one in the header authorization; a write may be signed instead.',
      );
      const policed = await underPolicies(url, []);
      expect(outcome(await policed.get('/wallets'))).toBe(
        '401 Missing token: send one in the header authorization; a write may be signed instead.',
      );
    });
  });

  it('open no gate: a write needs it from the ledger', async () => {
    await under([makers, { action: 'any', record: 'any' }], async ({ url }) => {
      const founder = await founded(url);
      const answer = await founder.as(newKey()).create('/wallets', { handle: 'w' });
      expect(outcome(answer)).toBe('403 Cannot create wallet.');
      expect(outcome(await founder.get('/wallets'))).toBe('200');
    });
  });

  it('may be for some keys only, or for none at all', async () => {
    const operator = newKey();
    const rules: Rule[] = [{ action: 'create', record: 'ledger', signer: { public: operator.public } }];
    const make = async (url: string, key = newKey()) => {
      const handle = `ledger-${Math.random().toString(36).slice(2)}`;
      const answer = await new TestClient(url, key).create('/ledgers', { handle, signer: 'system', access: [] });
      if (answer.status === 201) noteLedger(answer.body);
      return outcome(answer);
    };
    await under(rules, async ({ url }) => {
      expect(await make(url, operator)).toBe('201');
      expect(await make(url)).toBe('403 Cannot create ledger.');
    });
    await under([], async ({ url }) => {
      expect(await make(url, operator)).toBe('403 Cannot create ledger.');
    });
  });
});

describe('the setting SERVER_ACCESS_RULES', () => {
  it('is a JSON array of rules; without it the default holds', () => {
    const rules = [{ action: { $in: ['read', 'query'] }, record: 'any', bearer: { iss: 'https://id.example' } }];
    expect(parseConfig({ SERVER_ACCESS_RULES: JSON.stringify(rules) }).serverRules).toEqual(rules);
    expect(parseConfig({ SERVER_ACCESS_RULES: '[]' }).serverRules).toEqual([]);
    expect(parseConfig({}).serverRules).toBe(DEFAULT_SERVER_RULES);
  });

  it.each<[text: string, fault: string]>([
    ['open', 'must be a JSON array of access rules; it is not JSON'],
    ['{"action":"any"}', 'must be a JSON array of access rules'],
    ['[{"record":"any"}]', "must be a JSON array of access rules: /0 must have required property 'action'"],
    ['[{"action":"read"},{"action":"fly"}]', 'must be a JSON array of access rules: /1/action must be equal to one of'],
    ['["any"]', 'must be a JSON array of access rules: /0 must be object'],
    ['[{"action":"read","signers":{}}]', 'must be a JSON array of access rules: /0 must NOT have unevaluated'],
    ['[{"policy":"p"}]', 'must be rules that stand by themselves: /0 names a policy of a ledger'],
  ])('%s is refused at the start', (text, fault) => {
    expect(() => parseConfig({ SERVER_ACCESS_RULES: text })).toThrow(`SERVER_ACCESS_RULES ${fault}`);
  });

  it('has as many rules as a record may have', () => {
    const rules = (count: number) => JSON.stringify(Array(count).fill({ action: 'read', record: 'ledger' }));
    expect(parseServerRules(rules(accessLimits.rules))).toHaveLength(accessLimits.rules);
    expect(() => parseServerRules(rules(accessLimits.rules + 1))).toThrow(
      `must NOT have more than ${accessLimits.rules} items`,
    );
  });
});
