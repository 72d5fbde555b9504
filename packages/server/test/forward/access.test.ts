import type { Json, JsonObject, RecordEnvelope } from '@countersign/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/checks.js';
import { newKey, type TestClient, type TestKey } from '../support/client.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { withBridge } from './bridge.js';
import { anchor, aspect, forwardingLedger, made } from './scene.js';

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeEach(() => bridge.reset());

const actions = ['read', 'query', 'create', 'update', 'drop', 'sign'];
const proxied = (...of: string[]) => of.map((action) => aspect(action, 'proxy'));

/** A ledger whose founder may do everything, and others what `rules` say. */
async function ledgerOf(values: JsonObject[], rules: Json[] = []): Promise<{ client: TestClient; other: TestKey }> {
  const key = newKey();
  const access = [
    { action: 'any', record: 'any', signer: { public: key.public } },
    { action: 'any', record: 'any', bearer: { $signer: { public: key.public } } },
    ...rules,
  ];
  const client = await forwardingLedger(server.current.url, bridge.url, values, { key, access });
  return { client, other: newKey() };
}

/** A ledger of which policies alone decide; its founder may do everything but about anchors. */
async function ledgerUnder(values: JsonObject[], forwarded: JsonObject[]): Promise<TestClient> {
  const client = await forwardingLedger(server.current.url, bridge.url, forwarded);
  const all = [
    { action: 'access', record: 'ledger' },
    { action: 'any', record: { $nin: ['anchor', 'anchor-proof'] } },
    ...values,
  ];
  const policy = await made(client, '/policies', { handle: 'rules', schema: 'access', values: all });
  expect((await client.prove('/policies/rules', policy, { status: 'active' })).status).toBe(200);
  const ledger: RecordEnvelope = (await client.get('/ledger')).body;
  const config = { 'access.strategy': 'policy-based' };
  expect((await client.update('/ledger', ledger, { ...ledger.data, config })).status).toBe(200);
  return client;
}

/** What somebody is answered to a read, an update, a drop and a proof. */
async function all(client: TestClient, path: string, record: RecordEnvelope, key: TestKey): Promise<number[]> {
  const own = client.as(key);
  return [
    (await client.get(path, bearer(key))).status,
    (await own.update(path, record, { ...record.data, target: 'account:9' })).status,
    (await own.call('POST', `${path}/proofs`, signedProof(own, record), bearer(key))).status,
    (await own.drop(path, record)).status,
  ];
}

function signedProof(client: TestClient, record: RecordEnvelope): JsonObject {
  return { ...record.meta.proofs[0], public: client.key.public } as unknown as JsonObject;
}

describe('what the ledger has under the name of a record of the bridge', () => {
  const forwarded = proxied('read', 'update', 'drop', 'sign');
  const enters = [
    { action: 'access', record: 'ledger' },
    { action: 'create', record: 'anchor' },
  ];

  it('gives nobody rights to that record by its own rules', async () => {
    const { client, other } = await ledgerOf(forwarded, enters);
    const vault = bridge.keep(anchor('vault'), client.key);
    const decoy = await made(client.as(other), '/anchors', anchor('vault', { access: [{ action: 'any' }] }));
    for (const path of ['/anchors/vault', `/anchors/${decoy.luid}`]) {
      expect(await all(client, path, vault, other)).toEqual([403, 403, 403, 403]);
    }
    expect(bridge.records.get('vault')).toEqual(vault);
    expect(bridge.received).toEqual([]);
  });

  it('gives nobody rights to that record as its owner', async () => {
    const owners = ['read', 'update', 'drop'].map((action) => {
      return { action, record: 'anchor', signer: { $record: 'owner' } };
    });
    const { client, other } = await ledgerOf(forwarded, [...enters, ...owners]);
    const vault = bridge.keep(anchor('vault'), client.key);
    await made(client.as(other), '/anchors', anchor('vault'));
    expect(await all(client, '/anchors/vault', vault, other)).toEqual([403, 403, 403, 403]);
    expect(bridge.received).toEqual([]);
  });

  it('gives nobody rights to that record by what it says', async () => {
    const filter = { schema: 'public' };
    const rights = ['read', 'update', 'drop'].map((action) => ({ action, record: 'anchor', filter }));
    const client = await ledgerUnder([...rights, { action: 'create', record: 'anchor' }], forwarded);
    await made(client, '/schemas', { handle: 'public', record: 'anchor', format: 'json-schema', schema: {} });
    const vault = bridge.keep(anchor('vault'));
    await made(client, '/anchors', anchor('vault', { schema: 'public' }));
    expect(await all(client, '/anchors/vault', vault, newKey())).toEqual([403, 403, 403, 403]);
    // For the read it was found out what the bridge has; nothing was done to it.
    expect(bridge.received.map(({ method }) => method)).toEqual(['GET']);
  });
});

describe('what is not known of a record of the bridge', () => {
  it.each<[string, JsonObject]>([
    ['$ne', { schema: { $ne: 'private' } }],
    ['$nin', { schema: { $nin: ['private'] } }],
    ['$ne at a path', { 'custom.level': { $ne: 7 } }],
    ['$ne of the status', { 'meta.status': { $ne: 'blocked' } }],
    ['$nin of labels', { 'meta.labels': { $nin: ['private'] } }],
    ['$ne of the domain', { 'meta.domain': { $ne: 'closed' } }],
  ])('is not what %s says', async (_, filter) => {
    const rights = ['read', 'update', 'drop', 'create'].map((action) => {
      return { action, record: { $in: ['anchor', 'anchor-proof'] }, filter };
    });
    const client = await ledgerUnder(rights, proxied('read', 'update', 'drop', 'sign'));
    const vault = bridge.keep(anchor('vault', { schema: 'private', custom: { level: 7 } }));
    bridge.records.set(vault.luid, vault);
    for (const path of ['/anchors/vault', `/anchors/${vault.luid}`]) {
      expect(await all(client, path, vault, newKey())).toEqual([403, 403, 403, 403]);
    }
    expect(bridge.received.every(({ method }) => method === 'GET')).toBe(true);
    expect(bridge.records.get('vault')).toEqual(vault);
  });

  it('is no matter where the name is what a filter is about', async () => {
    const rights = [{ action: 'drop', record: 'anchor', filter: { handle: { $ne: 'vault' } } }];
    const client = await ledgerUnder(rights, proxied('drop'));
    const [vault, other] = [bridge.keep(anchor('vault')), bridge.keep(anchor('other'))];
    expect((await client.drop('/anchors/vault', vault)).status).toBe(403);
    expect((await client.drop('/anchors/other', other)).status).toBe(204);
  });

  it('is found out for a read, which is judged by it', async () => {
    const filter = { schema: { $in: ['public', 'open'] } };
    const client = await ledgerUnder([{ action: 'read', record: 'anchor', filter }], proxied('read'));
    const open = bridge.keep(anchor('open', { schema: 'open' }));
    bridge.keep(anchor('vault', { schema: 'private' }));
    expect((await client.get('/anchors/open')).body).toEqual(open);
    expect((await client.get('/anchors/vault')).status).toBe(401);
    expect((await client.get('/anchors/vault', bearer(newKey()))).status).toBe(403);
  });

  it('is not found out for those whom no rule could let read', async () => {
    const filter = { schema: 'public' };
    const reader = newKey();
    const rights = [{ action: 'read', record: 'anchor', filter, bearer: { $signer: { public: reader.public } } }];
    const client = await ledgerUnder(rights, proxied('read'));
    bridge.keep(anchor('open', { schema: 'public' }));
    expect((await client.get('/anchors/open', bearer(newKey()))).status).toBe(403);
    expect(bridge.received).toEqual([]);
    expect((await client.get('/anchors/open', bearer(reader))).status).toBe(200);
  });
});

describe('a domain', () => {
  it('lets read, and shows in lists, what is in it at the bridge', async () => {
    const { client, other } = await ledgerOf(proxied('read', 'query'), [{ action: 'access', record: 'ledger' }]);
    const rules = [{ action: 'read', record: 'anchor', bearer: { $signer: { public: other.public } } }];
    await made(client, '/domains', { handle: 'north', access: rules });
    await made(client, '/domains', { handle: 'south' });
    const [north, south] = [bridge.keep(anchor('x@north')), bridge.keep(anchor('x@south'))];
    bridge.records.set(north.luid, north);
    bridge.records.set(south.luid, south);
    const northerner = bearer(other);
    bridge.instead = (one) =>
      one.url === '/v2/anchors' ? { status: 200, body: bridge.list([north, south]) } : bridge.behave(one);
    expect((await client.get('/anchors/x@north', northerner)).body).toEqual(north);
    expect((await client.get(`/anchors/${north.luid}`, northerner)).body).toEqual(north);
    expect((await client.get('/anchors/x@south', northerner)).status).toBe(403);
    expect((await client.get(`/anchors/${south.luid}`, northerner)).status).toBe(403);
    expect((await client.get('/anchors', northerner)).body.data).toEqual([north]);
    expect((await client.get('/anchors', bearer(newKey()))).body.data).toEqual([]);
    bridge.received.length = 0;
    expect((await client.get('/anchors/x@north', bearer(newKey()))).status).toBe(403);
    expect(bridge.received).toEqual([]);
  });
});

describe('policies that name several ways', () => {
  it('are told of to those alone who may do what they ask', async () => {
    const several = actions.flatMap((action) => {
      const strategy = action === 'read' || action === 'query' ? 'fallback' : 'validate';
      return [aspect(action, 'proxy'), aspect(action, strategy)];
    });
    const { client, other } = await ledgerOf(several, [{ action: 'access', record: 'ledger' }]);
    const record = bridge.keep(anchor('a'), client.key);
    const founder = bearer(client.key);
    expect(await all(client, '/anchors/a', record, other)).toEqual([403, 403, 403, 403]);
    const told = 'Multiple processing aspect values found for action';
    const answers = {
      read: await client.get('/anchors/a', founder),
      update: await client.update('/anchors/a', record, anchor('a', { target: 'account:2' })),
      drop: await client.drop('/anchors/a', record),
    };
    for (const [action, answer] of Object.entries(answers)) {
      expectRefusal(answer, client, 'forward.unexpected-error', `${told} ${action}.`);
    }
    expect(bridge.received).toEqual([]);
  });
});
