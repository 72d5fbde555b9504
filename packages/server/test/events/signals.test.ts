import type { RecordEnvelope } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventMembers } from '../../src/kinds/effects/paths.js';
import type { KindName } from '../../src/kinds/kind.js';
import { kinds, names } from '../../src/kinds/registry.js';
import { withBridge } from '../forward/bridge.js';
import { anchor, aspect, forwardingLedger } from '../forward/scene.js';
import { newKey, newLedger, proofOver, signed, type TestClient, updateOf } from '../support/client.js';
import {
  changed,
  createBody,
  make,
  ok,
  requestsOn,
  type Scene,
  type Sent,
  setScene,
  stored,
} from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import {
  findLastPlace,
  holdDeliveries,
  loadQueued,
  loadRaised,
  type Queued,
  subscribe,
  subscribeToAll,
} from './support.js';

const server = withOwnServer({ deliveryAllowPrivate: true });
beforeAll(() => holdDeliveries(server.current));

/** What is raised by what happens after this call. */
async function watch(client: TestClient): Promise<() => Promise<{ signals: string[]; events: Queued[] }>> {
  const last = await findLastPlace(server.current, client);
  return () => loadRaised(server.current, client, last);
}

/**
 * A record of the kind in a ledger in which every signal is subscribed to, or those that begin so; the scene's record is
 * not made yet.
 */
async function setSubscribedScene(name: KindName, begin?: string): Promise<Scene> {
  const scene = await setScene(server.current.url, name);
  // The record of a ledger is there from its birth.
  if (name === 'ledger') await make(scene);
  await subscribeToAll(scene.client, begin);
  return scene;
}

/** Kinds whose drop tells effects (interface/effects#which-operation-raises-what). */
const TOLD_OF_DROPS: readonly KindName[] = ['anchor', 'effect', 'report', 'signer-factor', 'wallet', 'bridge'];

/** Signals of an operation, by the table of interface/effects#which-operation-raises-what. */
function signalsOf(name: KindName, operation: string): string[] {
  if (name === 'circle-signer') return [];
  if (operation === 'create') return [`${name}-created`, `${name}-proofs-added`];
  if (operation === 'update') return [`${name}-updated`, `${name}-proofs-added`];
  if (operation === 'proof') return [...(name === 'intent' ? ['intent-updated'] : []), `${name}-proofs-added`];
  if (operation === 'drop') return TOLD_OF_DROPS.includes(name) ? [`${name}-dropped`] : [];
  return [];
}

/** Checks the members of an event, given the record before and after the operation (interface/effects#signals). */
function expectPayload(name: KindName, { plan, data }: Queued, before: RecordEnvelope | undefined, after: unknown) {
  const { handle, signal, ...members } = data;
  // Filters of effects are checked by it.
  expect(Object.keys(eventMembers(signal) ?? {}).sort()).toEqual(Object.keys(data));
  expect(handle).toBe(plan.handle);
  expect(signal).toBe(plan.signal);
  const record = after as RecordEnvelope;
  if (signal.endsWith('-created')) expect(members).toEqual({ [name]: record });
  if (signal.endsWith('-updated')) expect(members).toEqual({ [name]: record, parent: before });
  if (signal.endsWith('-dropped')) expect(members).toEqual({ parent: before });
  if (signal.endsWith('-proofs-added')) {
    expect(members).toEqual({ [name]: String(record.data.handle), proofs: [record.meta.proofs.at(-1)] });
  }
}

function expectEvents(name: KindName, events: readonly Queued[], before: RecordEnvelope | undefined, after: unknown) {
  for (const event of events) {
    expectPayload(name, event, before, after);
    expect(event.record).toBe(name);
    const isDrop = event.plan.signal.endsWith('-dropped');
    expect(event.linked).toBe(isDrop ? null : String((after as RecordEnvelope).data.handle));
  }
  // One event for an occurrence, each of its own.
  expect(new Set(events.map(({ plan }) => plan.handle)).size).toBe(events.length);
}

/** Requests on a record, those that end it last. */
function dropsLast(requests: readonly Sent[]): Sent[] {
  const isDrop = ({ operation }: Sent) => operation === 'drop';
  return [...requests.filter((one) => !isDrop(one)), ...requests.filter(isDrop)];
}

describe.each(kinds.map(({ name }) => name))('%s', (name) => {
  it('raises by each operation exactly the signals of the table, with their members', async () => {
    const scene = await setSubscribedScene(name);
    const { client } = scene;
    let record: RecordEnvelope;
    if (name === 'ledger') record = ok(await client.get('/ledger')).body;
    else {
      const created = await watch(client);
      record = await make(scene);
      const { signals, events } = await created();
      // What processing raises after that: test/money/events.test.ts.
      const { isProcessed = false } = scene.kind.lifecycle;
      const own = isProcessed ? 2 : signals.length;
      expect(signals.slice(0, own)).toEqual(signalsOf(name, 'create'));
      expectEvents(name, events.slice(0, own), undefined, record);
      if (isProcessed) record = ok(await client.get(scene.path)).body;
    }
    const seen = new Set(['create']);
    for (const { operation, method, path } of dropsLast(requestsOn(scene, record))) {
      if (operation === 'drop' && seen.has('drop')) record = await make(scene);
      const { body } = requestsOn(scene, record).find((one) => one.method === method && one.path === path)!;
      const raised = await watch(client);
      const answer = ok(await client.call(method, path, body));
      const { signals, events } = await raised();
      expect(signals, `${method} ${path}`).toEqual(signalsOf(name, operation));
      const isWrite = operation === 'update' || operation === 'proof';
      expectEvents(name, events, record, isWrite ? answer.body : record);
      if (isWrite) record = answer.body;
      seen.add(operation);
    }
    const writes = ['create', 'update', 'proof', 'drop'].filter((one) => scene.kind.lifecycle.operations.includes(one));
    expect([...seen]).toEqual(expect.arrayContaining(writes));
  });
});

/** The signals that the specification names, each with the request that emits it. */
const EMITTED: readonly [signal: string, by: string, kind: KindName, operation: string][] = [
  ['signer-created', 'create signer', 'signer', 'create'],
  ['signer-updated', 'update signer', 'signer', 'update'],
  ['signer-proofs-added', 'add signer proof', 'signer', 'proof'],
  ['domain-updated', 'update domain', 'domain', 'update'],
  ['report-created', 'create report', 'report', 'create'],
  ['report-proofs-added', 'add report proof', 'report', 'proof'],
  ['report-dropped', 'delete report', 'report', 'drop'],
  ['policy-proofs-added', 'add policy proof', 'policy', 'proof'],
  ['schema-proofs-added', 'add schema proof', 'schema', 'proof'],
  ['schema-updated', 'update schema', 'schema', 'update'],
  ['effect-updated', 'update effect', 'effect', 'update'],
  ['effect-dropped', 'delete effect', 'effect', 'drop'],
  ['intent-created', 'create intent', 'intent', 'create'],
];

describe('the signals of the specification', () => {
  it.each(EMITTED)('%s is emitted by %s', async (signal, _, name, operation) => {
    const scene = await setScene(server.current.url, name);
    await subscribe(scene.client, 'subscriber', signal);
    const record = await make(scene);
    if (operation !== 'create') {
      const { method, path, body } = requestsOn(scene, record).find((one) => one.operation === operation)!;
      ok(await scene.client.call(method, path, body));
    }
    const events = await loadQueued(server.current, scene.client);
    expect(events.map(({ plan, effect }) => [effect, plan.signal])).toContainEqual(['subscriber', signal]);
    expect(events.filter(({ effect }) => effect !== 'subscriber')).toEqual([]);
  });

  it('are all among those that effects subscribe to', () => {
    for (const [signal] of EMITTED) expect(names.signals).toContain(signal);
  });
});

describe('nothing is raised', () => {
  it('by the birth of a ledger: no effect exists that could be told', async () => {
    const client = await newLedger(server.current.url);
    expect(await loadQueued(server.current, client)).toEqual([]);
  });

  it('by a report proof that repeats the status', async () => {
    const scene = await setSubscribedScene('report', 'report');
    const report = await make(scene);
    const pending = ok(await scene.client.prove(scene.path, report, { status: 'pending' })).body;
    const raised = await watch(scene.client);
    const again = ok(await scene.client.prove(scene.path, report, { status: 'pending' }));
    expect(again.body).toEqual(pending);
    expect((await raised()).signals).toEqual([]);
  });

  it('by the drop of a policy, nor of a member of a circle', async () => {
    for (const name of ['policy', 'circle-signer'] as const) {
      const scene = await setSubscribedScene(name);
      const record = await make(scene);
      const raised = await watch(scene.client);
      ok(await scene.client.drop(scene.path, record));
      expect((await raised()).signals).toEqual([]);
    }
  });

  it('by writes that are refused', async () => {
    const scene = await setSubscribedScene('wallet', 'wallet');
    const { client } = scene;
    const record = await make(scene);
    const raised = await watch(client);
    const stale = { ...updateOf(record, changed(scene.data), client.key) };
    const refused = [
      client.call('POST', '/wallets', signed(changed(scene.data), client.key)),
      client.call('POST', '/wallets', { ...createBody(scene), hash: 'a'.repeat(64) }),
      client.call('PUT', scene.path, signed({ ...scene.data, parent: 'a'.repeat(64) }, client.key)),
      client.call('PUT', scene.path, { ...stale, luid: '$wlt.-0123456789abcdef' }),
      client.call('POST', `${scene.path}/proofs`, proofOver('a'.repeat(64), client.key)),
      client.drop(scene.path, { ...record, hash: 'a'.repeat(64) }),
      client.create('/wallets', { handle: 'w', bridge: 'ghost' }),
    ];
    for (const answer of await Promise.all(refused)) expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    const closed = await newLedger(server.current.url, { access: [] });
    expect((await closed.as(newKey()).create('/wallets', { handle: 'w' })).status).toBe(403);
    expect((await raised()).signals).toEqual([]);
  });

  it('by a request that is sent again', async () => {
    const scene = await setSubscribedScene('wallet', 'wallet');
    const body = createBody(scene);
    const record: RecordEnvelope = ok(await scene.client.call('POST', '/wallets', body)).body;
    const update = updateOf(record, changed(scene.data), scene.client.key);
    const updated: RecordEnvelope = ok(await scene.client.call('PUT', scene.path, update)).body;
    const proof = proofOver(updated.hash, scene.client.key);
    const proved: RecordEnvelope = ok(await scene.client.call('POST', `${scene.path}/proofs`, proof)).body;
    const raised = await watch(scene.client);
    expect((await scene.client.call('POST', '/wallets', body)).status).toBe(200);
    expect((await scene.client.call('POST', `${scene.path}/proofs`, proof)).body).toEqual(proved);
    expect((await raised()).signals).toEqual([]);
  });

  const bridge = withBridge();
  it.each(['create', 'update', 'sign', 'drop'])('by a %s that only a bridge keeps', async (action) => {
    bridge.reset();
    const client = await forwardingLedger(server.current.url, bridge.url, [aspect(action, 'proxy')]);
    await subscribeToAll(client, 'anchor');
    const kept = action === 'create' ? undefined : bridge.keep(anchor('a'), client.key);
    const raised = await watch(client);
    const answers = {
      create: () => client.create('/anchors', anchor('a')),
      update: () => client.update('/anchors/a', kept!, anchor('a', { target: 'account:2' })),
      sign: () => client.prove('/anchors/a', kept!, {}),
      drop: () => client.drop('/anchors/a', kept!),
    };
    await answers[action as keyof typeof answers]();
    expect(bridge.received).toHaveLength(1);
    expect((await raised()).signals).toEqual([]);
  });
});

describe('a drop of what only this service tells of', () => {
  it.each(['wallet', 'bridge'] as const)('%s-dropped can be subscribed to, and is raised', async (name) => {
    const client = await newLedger(server.current.url);
    await subscribe(client, 'subscriber', `${name}-dropped`);
    const data = { handle: 'x', ...(name === 'bridge' ? BRIDGE : {}) };
    const record = await stored(client, name, data);
    ok(await client.drop(`/${name}s/x`, record));
    const [event, ...others] = await loadQueued(server.current, client);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ record: name, linked: null, data: { signal: `${name}-dropped`, parent: record } });
    expect(Object.keys(event!.data)).toEqual(['handle', 'parent', 'signal']);
  });
});

const BRIDGE = { schema: 'rest', config: { server: 'https://bridge.example' }, secure: [] };
