import type { RecordEnvelope } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import type { KindName } from '../../src/kinds/kind.js';
import { recordNames } from '../../src/kinds/registry.js';
import { withBridge } from '../forward/bridge.js';
import { anchor, aspect, forwardingLedger } from '../forward/scene.js';
import { newKey, newLedger, proofOver, signed, updateOf } from '../support/client.js';
import { changed, createBody, make, ok, requestsOn, setScene, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { holdDeliveries, loadQueued, setSubscribedScene, subscribe, subscribeToAll, watch } from './support.js';

const server = withOwnServer({ deliveryAllowPrivate: true });
beforeAll(() => holdDeliveries(server.current));

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
    for (const [signal] of EMITTED) expect(recordNames.signals).toContain(signal);
  });
});

describe('nothing is raised', () => {
  it('by the birth of a ledger: no effect exists that could be told', async () => {
    const client = await newLedger(server.current.url);
    expect(await loadQueued(server.current, client)).toEqual([]);
  });

  it('by a report proof that repeats the status', async () => {
    const scene = await setSubscribedScene(server.current.url, 'report', 'report');
    const report = await make(scene);
    const pending = ok(await scene.client.prove(scene.path, report, { status: 'pending' })).body;
    const raised = await watch(server.current, scene.client);
    const again = ok(await scene.client.prove(scene.path, report, { status: 'pending' }));
    expect(again.body).toEqual(pending);
    expect((await raised()).signals).toEqual([]);
  });

  it('by the drop of a policy, nor of a member of a circle', async () => {
    for (const name of ['policy', 'circle-signer'] as const) {
      const scene = await setSubscribedScene(server.current.url, name);
      const record = await make(scene);
      const raised = await watch(server.current, scene.client);
      ok(await scene.client.drop(scene.path, record));
      expect((await raised()).signals).toEqual([]);
    }
  });

  it('by writes that are refused', async () => {
    const scene = await setSubscribedScene(server.current.url, 'wallet', 'wallet');
    const { client } = scene;
    const record = await make(scene);
    const raised = await watch(server.current, client);
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
    const scene = await setSubscribedScene(server.current.url, 'wallet', 'wallet');
    const body = createBody(scene);
    const record: RecordEnvelope = ok(await scene.client.call('POST', '/wallets', body)).body;
    const update = updateOf(record, changed(scene.data), scene.client.key);
    const updated: RecordEnvelope = ok(await scene.client.call('PUT', scene.path, update)).body;
    const proof = proofOver(updated.hash, scene.client.key);
    const proved: RecordEnvelope = ok(await scene.client.call('POST', `${scene.path}/proofs`, proof)).body;
    const raised = await watch(server.current, scene.client);
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
    const raised = await watch(server.current, client);
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
