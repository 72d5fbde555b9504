import type { JsonObject } from '@countersign/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/checks.js';
import { dropOf, type TestClient } from '../support/client.js';
import { withServer } from '../support/server.js';
import { withBridge } from './bridge.js';
import { anchor, aspect, forwardingLedger, made, processing, stored } from './scene.js';

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeEach(() => bridge.reset());

const ledgerWith = (values: JsonObject[], policy?: JsonObject) =>
  forwardingLedger(server.current.url, bridge.url, values, policy ? { policy } : {});

async function calls(work: () => Promise<unknown>): Promise<number> {
  const before = bridge.received.length;
  await work();
  return bridge.received.length - before;
}

describe('a processing policy', () => {
  it.each(['created', 'active', 'inactive'])('is in force in status %s', async (status) => {
    const client = await ledgerWith([aspect('read', 'proxy')]);
    const policy = (await client.get('/policies/forwarding')).body;
    expect((await client.prove('/policies/forwarding', policy, { status })).status).toBe(200);
    expect(await calls(() => client.get('/anchors/a'))).toBe(1);
  });

  it('is so until it is dropped, and as it is after an update', async () => {
    const client = await ledgerWith([aspect('read', 'proxy')]);
    const policy = (await client.get('/policies/forwarding')).body;
    const changed = await client.update(
      '/policies/forwarding',
      policy,
      processing('forwarding', [aspect('query', 'proxy')]),
    );
    expect(changed.status, changed.text).toBe(200);
    expect(await calls(() => client.get('/anchors/a'))).toBe(0);
    expect(await calls(() => client.get('/anchors'))).toBe(1);
    expect((await client.call('DELETE', '/policies/forwarding', dropOf(changed.body, client.key))).status).toBe(204);
    expect(await calls(() => client.get('/anchors'))).toBe(0);
  });

  it('is about anchors, and about the actions it names, alone', async () => {
    const client = await ledgerWith([aspect('create', 'proxy')], { record: undefined } as unknown as JsonObject);
    expect(await calls(() => made(client, '/wallets', { handle: 'bob' }))).toBe(0);
    expect(await calls(() => client.get('/anchors'))).toBe(0);
    expect(await calls(() => client.create('/anchors', anchor('a')))).toBe(1);
  });

  it('that has several values for an action is an error, in one policy or across', async () => {
    const detail = 'Multiple processing aspect values found for action read.';
    const one = await ledgerWith([aspect('read', 'proxy'), aspect('read', 'fallback')]);
    expectRefusal(await one.get('/anchors/a'), one, 'forward.unexpected-error', detail);
    const other = await ledgerWith([aspect('read', 'proxy')]);
    await made(other, '/policies', processing('another', [aspect('read', 'proxy')]));
    expectRefusal(await other.get('/anchors/a'), other, 'forward.unexpected-error', detail);
    expect(bridge.received).toEqual([]);
  });

  it.each([
    ['read', (client: TestClient) => client.get('/anchors/a')],
    ['query', (client: TestClient) => client.get('/anchors')],
    ['create', (client: TestClient) => client.create('/anchors', anchor('a'))],
  ] as const)('that names a bridge that is not there is an error on %s', async (action, act) => {
    const client = await ledgerWith([aspect(action, 'proxy', { invoke: { bridge: 'ghost' } })]);
    const detail = "Forward bridge 'ghost' configured but not exists";
    expectRefusal(await act(client), client, 'forward.unexpected-error', detail);
    expect(await stored(client, 'a')).toBe(false);
  });

  it('refuses strategies that mean nothing for their action when it is made', async () => {
    const client = await ledgerWith([]);
    for (const action of ['read', 'query']) {
      const answer = await client.create('/policies', processing('p', [aspect(action, 'validate')]));
      const detail = "Cannot define 'validate' strategy for read or query actions";
      expect([answer.status, answer.body.data]).toEqual([422, { reason: 'record.schema-invalid', detail }]);
    }
    for (const action of ['create', 'update', 'drop', 'sign']) {
      const answer = await client.create('/policies', processing('p', [aspect(action, 'fallback')]));
      const detail = "Cannot define 'fallback' strategy for non-read or query actions";
      expect([answer.status, answer.body.data]).toEqual([422, { reason: 'record.schema-invalid', detail }]);
    }
    const accepted = [aspect('drop', 'synchronize'), aspect('query', 'synchronize', { invoke: { bridge: 'ghost' } })];
    expect((await client.create('/policies', processing('p', accepted))).status).toBe(201);
  });
});

describe('the filter of a processing policy', () => {
  const phone = { custom: { kind: 'phone' } };

  it.each([
    ['a path in data', { 'data.custom.kind': 'phone' }],
    ['a path without data', { 'custom.kind': 'phone' }],
    ['an object', { data: { custom: { kind: 'phone' } } }],
    ['an operator', { 'custom.kind': { $in: ['phone', 'mail'] } }],
  ])('chooses anchors by %s', async (_, filter) => {
    const client = await ledgerWith([aspect('create', 'validate')], { filter });
    expect(await calls(() => made(client, '/anchors', anchor('a')))).toBe(0);
    expect(await calls(() => made(client, '/anchors', anchor('b', phone)))).toBe(1);
  });

  it('gives way to that of a value', async () => {
    const values = [aspect('create', 'validate', { filter: { 'custom.kind': 'mail' } })];
    const client = await ledgerWith(values, { filter: { 'custom.kind': 'phone' } });
    expect(await calls(() => made(client, '/anchors', anchor('a', phone)))).toBe(0);
    expect(await calls(() => made(client, '/anchors', anchor('b', { custom: { kind: 'mail' } })))).toBe(1);
  });

  it('keeps values for one action apart', async () => {
    const values = ['phone', 'mail'].map((kind) => aspect('create', 'validate', { filter: { 'custom.kind': kind } }));
    const client = await ledgerWith(values);
    expect(await calls(() => made(client, '/anchors', anchor('a', phone)))).toBe(1);
    expect(await calls(() => made(client, '/anchors', anchor('b')))).toBe(0);
  });

  it('chooses requests by their headers', async () => {
    const values = [aspect('read', 'proxy', { filter: { 'ctx.req.headers.X-Channel': 'branch' } })];
    const client = await ledgerWith(values);
    expect(await calls(() => client.get('/anchors/a'))).toBe(0);
    expect(await calls(() => client.get('/anchors/a', { 'x-channel': 'branch' }))).toBe(1);
    expect(await calls(() => client.get('/anchors/a', { 'x-channel': 'web' }))).toBe(0);
  });

  it('is matched with the stored anchor on update, sign and drop', async () => {
    const actions = ['update', 'sign', 'drop'].map((action) => aspect(action, 'validate'));
    const client = await ledgerWith(actions, { filter: { 'custom.kind': 'phone' } });
    const plain = await made(client, '/anchors', anchor('a'));
    expect(await calls(() => client.update('/anchors/a', plain, anchor('a', phone)))).toBe(0);
    const record = (await client.get('/anchors/a')).body;
    bridge.records.set('a', bridge.sealed(record));
    expect(await calls(() => client.prove('/anchors/a', record, {}))).toBe(1);
    const proved = (await client.get('/anchors/a')).body;
    expect(await calls(() => client.update('/anchors/a', proved, anchor('a')))).toBe(1);
    const updated = (await client.get('/anchors/a')).body;
    expect(await calls(() => client.drop('/anchors/a', updated))).toBe(0);
    expect(await stored(client, updated.luid)).toBe(true);
  });

  it('can ask nothing of a list but its headers', async () => {
    const client = await ledgerWith([aspect('query', 'proxy')], { filter: { schema: 'phone' } });
    expect(await calls(() => client.get('/anchors?data.schema=phone'))).toBe(0);
  });

  it('can ask for the name when only the bridge has the anchor', async () => {
    const client = await ledgerWith([aspect('read', 'proxy')], { filter: { handle: { $regex: 'tel:%' } } });
    bridge.keep(anchor('tel:1'));
    expect(await calls(() => client.get('/anchors/tel:1'))).toBe(1);
    expect(await calls(() => client.get('/anchors/iban:1'))).toBe(0);
  });
});

describe('a processing policy in a domain', () => {
  it('counts for anchors of that domain alone', async () => {
    const client = await ledgerWith([]);
    await made(client, '/domains', { handle: 'north' });
    const policy = processing('p@north', [aspect('create', 'validate'), aspect('read', 'proxy')]);
    expect((await made(client, '/policies', policy)).meta.domain).toBe('north');
    expect(await calls(() => client.create('/anchors', anchor('a')))).toBe(0);
    expect(await calls(() => client.create('/anchors', anchor('a@north')))).toBe(1);
    expect(await calls(() => client.get('/anchors/a'))).toBe(0);
    expect(await calls(() => client.get('/anchors/b@north'))).toBe(1);
  });
});
