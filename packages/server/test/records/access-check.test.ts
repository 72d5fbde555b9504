import type { JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { kinds } from '../../src/kinds/registry.js';
import { expectRules } from '../support/checks.js';
import { newKey, newLedger, proofOver, signed, type TestClient, type TestKey } from '../support/client.js';
import { make, ok, type Scene, setScene, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();

/** The rules that grant `data.action` to `key`, as the path's record tells it. */
async function rulesOf(client: TestClient, path: string, key: TestKey, data: JsonObject): Promise<JsonObject[]> {
  return expectRules(await client.call('POST', `${path}/access/!check`, signed(data, key, {})), client);
}

const checked = kinds.filter(({ lifecycle: { operations } }) => operations.includes('check'));

describe.each(checked)('the access check of a $name (interface/access#access-check)', ({ name }) => {
  it('shows the rules of the ledger, then the record’s own, that are for the signer', async () => {
    const [alice, bob] = [newKey(), newKey()];
    const open = { action: 'any', record: 'any' };
    const scene: Scene = await setScene(server.current.url, name, { access: [open] });
    const own: JsonObject[] = [
      { action: 'any', bearer: { $signer: { public: alice.public } } },
      { action: { $in: ['read', 'update'] }, record: name, signer: { public: bob.public } },
      { action: 'drop', bearer: { sub: 'someone' } },
    ];
    if (name === 'ledger') own.unshift(open);
    await make({ ...scene, data: { ...scene.data, access: own } });
    const { client, path } = scene;
    const shown = { action: 'any', record: name };
    expect(await rulesOf(client, path, alice, { action: 'read' })).toEqual([open, shown]);
    expect(await rulesOf(client, path, bob, { action: 'update' })).toEqual([
      open,
      { action: own.at(-2)?.action, record: name },
    ]);
    expect(await rulesOf(client, path, bob, { action: 'drop' })).toEqual([open]);
    const [first] = await rulesOf(client, path, alice, { action: 'read' });
    expect(Object.keys(first ?? {})).toEqual(['action', 'record']);
  });

  it('shows nothing to whom no rule is for, who needs no right to ask', async () => {
    const founder = newKey();
    const access = [{ action: 'any', record: 'any', signer: { public: founder.public } }];
    const scene = await setScene(server.current.url, name, { key: founder, access });
    await make(scene);
    const { client, path } = scene;
    expect(await rulesOf(client, path, newKey(), { action: 'update' })).toEqual([]);
    expect(await rulesOf(client, path, founder, { action: 'update' })).toEqual([{ action: 'any', record: 'any' }]);
    // A read carries a token, which this rule says nothing of.
    expect(await rulesOf(client, path, founder, { action: 'read' })).toEqual([]);
  });
});

describe('an access check', () => {
  it('is narrowed by data.record', async () => {
    const access = [
      { action: 'read', record: 'wallet' },
      { action: 'read', record: 'symbol' },
      { action: 'access' },
      { action: 'create', record: 'any' },
    ];
    const client = await newLedger(server.current.url, { access });
    const { key } = client;
    const asked = (data: JsonObject) => rulesOf(client, '/ledger', key, data);
    expect(await asked({ action: 'read', record: 'wallet' })).toEqual([access[0]]);
    expect(await asked({ action: 'read', record: 'symbol' })).toEqual([access[1]]);
    expect(await asked({ action: 'read', record: 'bridge' })).toEqual([]);
    expect(await asked({ action: 'access' })).toEqual([{ action: 'access', record: 'ledger' }]);
    expect(await asked({ action: 'create', record: 'wallet' })).toEqual([access[3]]);
  });

  it('counts the signers of its proofs, each of them', async () => {
    const [alice, bob] = [newKey(), newKey()];
    const rule = (key: TestKey, action: string) => {
      return { action, record: 'wallet', bearer: { $signer: { public: key.public } } };
    };
    const client = await newLedger(server.current.url, {
      access: [{ action: 'access' }, { action: 'create', record: 'any' }, rule(alice, 'read'), rule(bob, 'any')],
    });
    await stored(client, 'wallet', { handle: 'w' });
    const body = signed({ action: 'read' }, alice, {});
    const both = { ...body, meta: { proofs: [...body.meta.proofs, proofOver(body.hash, bob)] } };
    const answer = ok(await client.call('POST', '/wallets/w/access/!check', both));
    const shown = (action: string) => ({ action, record: 'wallet' });
    expect(expectRules(answer, client)).toEqual([shown('read'), shown('any')]);
    expect(await rulesOf(client, '/wallets/w', bob, { action: 'read' })).toEqual([shown('any')]);
  });

  it('shows the values of a policy that a rule refers to', async () => {
    const client = await newLedger(server.current.url, {
      access: [{ action: 'any', record: 'any' }, { policy: 'readers' }],
    });
    const bearer = { $signer: { public: client.key.public } };
    const values = [{ action: 'read', record: 'wallet', bearer }];
    await stored(client, 'policy', { handle: 'readers', schema: 'access', values });
    await stored(client, 'wallet', { handle: 'w' });
    const shown = [
      { action: 'any', record: 'any' },
      { action: 'read', record: 'wallet' },
    ];
    expect(await rulesOf(client, '/wallets/w', client.key, { action: 'read' })).toEqual(shown);
    expect(await rulesOf(client, '/wallets/w', newKey(), { action: 'read' })).toEqual(shown.slice(0, 1));
  });
});
