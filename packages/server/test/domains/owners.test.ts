import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { activated, everythingFor, listedFor, outcome, statusSet, underPolicies } from '../access-http/support.js';
import { newKey, newLedger, signed, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withServer();

/** A ledger that is under policies from birth. */
function born(): Promise<TestClient> {
  return newLedger(server.current.url, { access: [], config: { 'access.strategy': 'policy-based' } });
}

const access = (handle: string, values: JsonObject[], more: JsonObject = {}): JsonObject => ({
  handle,
  schema: 'access',
  record: 'any',
  values,
  ...more,
});

/** Makes a policy that does nothing by itself, and makes it active. */
async function made(client: TestClient, data: JsonObject): Promise<RecordEnvelope> {
  return statusSet(client, `/policies/${data.handle}`, ok(await client.create('/policies', data)).body, 'active');
}

/** That the owner, and nobody else, manages the ledger and its policies, and nothing beside them. */
async function expectOwned(owner: TestClient, strangers: readonly TestClient[]): Promise<void> {
  const token = bearer(owner.key);
  expect(outcome(await owner.get('/ledger', token))).toBe('200');
  expect(await listedFor(owner, owner.key, '/policies')).toContain('access-policy:status');
  const name = `p-${newKey()
    .public.slice(0, 6)
    .replaceAll(/[^A-Za-z0-9]/g, '.')}`;
  const policy = ok(await owner.create('/policies', access(name, []))).body;
  const path = `/policies/${name}`;
  expect(outcome(await owner.get(path, token))).toBe('200');
  expect(outcome(await owner.get(`${path}/changes`, token))).toBe('200');
  const updated = ok(await owner.update(path, policy, access(name, [{ action: 'read' }]))).body;
  expect(outcome(await owner.prove(path, updated, { note: 'x' }))).toBe('200');
  const ledger = (await owner.get('/ledger', token)).body;
  const { parent: _, ...data } = ledger.data;
  ok(await owner.update('/ledger', ledger, data));
  for (const [kind, more] of Object.entries({ wallet: {}, domain: {}, signer: signerMembers() })) {
    expect(outcome(await owner.create(`/${kind}s`, { handle: `${kind}-x`, ...more }))).toBe(
      `403 Cannot create ${kind}.`,
    );
  }
  expect(outcome(await owner.get('/signers/system', token))).toBe('403 Cannot read signer.');
  for (const stranger of strangers) {
    expect(outcome(await stranger.get('/ledger', bearer(stranger.key)))).toBe('403 Cannot read ledger.');
    expect(outcome(await stranger.get('/policies', bearer(stranger.key)))).toBe('403 Cannot query policy.');
    expect(outcome(await stranger.create('/policies', access('mine', [])))).toBe('403 Cannot create policy.');
    expect(outcome(await stranger.drop(path, updated))).toBe('403 Cannot drop policy.');
    expect(outcome(await stranger.update('/ledger', ledger, data))).toBe('403 Cannot update ledger.');
  }
  expect(outcome(await owner.drop(path, updated))).toBe('204');
}

const signerMembers = (): JsonObject => ({ public: newKey().public, format: 'ed25519-raw' });

describe('a ledger under policies that let nobody in', () => {
  it('is its owners’ from birth, until a policy lets somebody in', async () => {
    const owner = await born();
    const other = owner.as(newKey());
    await expectOwned(owner, [other]);
    const check = await owner.call('POST', '/ledger/access/!check', signed({ action: 'update' }, owner.key));
    expect(ok(check).body.data).toHaveLength(1);

    await made(owner, access('for-other', everythingFor(other.key)));
    expect(outcome(await other.create('/wallets', { handle: 'w' }))).toBe('201');
    expect(outcome(await owner.create('/policies', access('more', [])))).toBe('403 Cannot create policy.');
    expect(outcome(await owner.get('/ledger', bearer(owner.key)))).toBe('403 Cannot read ledger.');
    const none = await owner.call('POST', '/ledger/access/!check', signed({ action: 'update' }, owner.key));
    expect(ok(none).body.data).toEqual([]);
  });

  it.each<[title: string, data: JsonObject]>([
    ['that is not active', access('p', [{ action: 'any', record: 'any' }])],
    ['without a value', access('p', [])],
    ['about other records', access('p', [{ action: 'any', record: 'symbol' }])],
    ['that opens it under a condition nobody knows', access('p', [{ action: 'access', invoke: 'x' }])],
    ['with a filter, which no gate fulfils', access('p', [{ action: 'access', filter: { handle: 'x' } }])],
    ['of a schema that grants nothing', { handle: 'p', schema: 'dtc', values: [{ action: 'any', record: 'any' }] }],
  ])('stays so with a policy %s', async (title, data) => {
    const owner = await born();
    const policy = ok(await owner.create('/policies', data)).body;
    if (!title.includes('not active')) await statusSet(owner, '/policies/p', policy, 'active');
    await expectOwned(owner, [owner.as(newKey())]);
  });

  it('stays so with a policy in a domain, which opens no gate', async () => {
    const owner = await born();
    const free = await turned(owner, 'record-based', [{ action: 'any', record: 'any' }]);
    const key = newKey();
    await stored(free, 'domain', { handle: 'sales' });
    await activated(free, access('p@sales', everythingFor(key)));
    await turned(free, 'policy-based', []);
    await expectOwned(owner, [owner.as(key)]);
  });

  it.each(['dropped', 'inactive'])('falls to its owners when the last one that does is %s', async (how) => {
    const founder = await underPolicies(server.current.url, []);
    const manager = founder.as(newKey());
    const token = bearer(founder.key);
    const policy = await made(founder, access('managers', everythingFor(manager.key)));
    const operator = (await founder.get('/policies/operator', token)).body;
    await statusSet(manager, '/policies/operator', operator, 'inactive');
    expect(outcome(await founder.get('/ledger', token))).toBe('403 Cannot read ledger.');
    if (how === 'dropped') expect(outcome(await manager.drop('/policies/managers', policy))).toBe('204');
    else await statusSet(manager, '/policies/managers', policy, 'inactive');
    await expectOwned(founder, [manager, founder.as(newKey())]);
    await statusSet(founder, '/policies/operator', operator, 'active');
    expect(outcome(await founder.create('/wallets', { handle: 'w' }))).toBe('201');
  });

  it('is not brought about by an owner who may take policies away, but not make any', async () => {
    const founder = await underPolicies(server.current.url, []);
    const manager = founder.as(newKey());
    const token = bearer(founder.key);
    await made(founder, access('managers', everythingFor(manager.key)));
    const sweeping = [
      { action: 'access', record: 'ledger', signer: { public: founder.key.public } },
      { action: 'drop', record: 'policy', signer: { public: founder.key.public } },
      { action: 'create', record: 'policy-proof', signer: { public: founder.key.public } },
      { action: 'read', record: 'any', bearer: { $signer: { public: founder.key.public } } },
    ];
    const sweepers = await made(founder, access('sweepers', sweeping));
    const operator = (await founder.get('/policies/operator', token)).body;
    expect(outcome(await manager.drop('/policies/operator', operator))).toBe('204');

    const managers = (await founder.get('/policies/managers', token)).body;
    expect(outcome(await founder.drop('/policies/managers', managers))).toBe('204');
    expect(outcome(await founder.drop('/policies/sweepers', sweepers))).toBe('403 Cannot drop policy.');
    for (const status of ['inactive', 'created']) {
      const proof = await founder.prove('/policies/sweepers', sweepers, { status });
      expect(outcome(proof)).toBe('403 Cannot create policy-proof.');
    }
    expect(outcome(await founder.create('/policies', access('mine', [])))).toBe('403 Cannot create policy.');
    // A proof that leaves it active is one like others.
    expect(outcome(await founder.prove('/policies/sweepers', sweepers, { note: 'x' }))).toBe('200');
  });

  it('gives owners nothing where rules decide', async () => {
    const owner = await newLedger(server.current.url, { access: [] });
    expect(outcome(await owner.create('/policies', access('p', [])))).toBe('403 Cannot create policy.');
  });
});

/** Changes by what the ledger is judged. */
async function turned(owner: TestClient, strategy: string, rules: JsonObject[]): Promise<TestClient> {
  const { body } = ok(await owner.get('/ledger', bearer(owner.key)));
  const { parent: _, ...data } = body.data;
  ok(await owner.update('/ledger', body, { ...data, access: rules, config: { 'access.strategy': strategy } }));
  return owner;
}
