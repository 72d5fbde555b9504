import type { RecordEnvelope } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventMembers } from '../../src/kinds/effects/paths.js';
import type { KindName } from '../../src/kinds/kind.js';
import { testedKinds } from '../support/kinds.js';
import { make, ok, requestsOn, type Sent } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { holdDeliveries, type Queued, setSubscribedScene, watch } from './support.js';

const server = withOwnServer({ deliveryAllowPrivate: true });
beforeAll(() => holdDeliveries(server.current));

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

describe.each(testedKinds.map(({ name }) => name))('%s', (name) => {
  it('raises by each operation exactly the signals of the table, with their members', async () => {
    const scene = await setSubscribedScene(server.current.url, name);
    const { client } = scene;
    let record: RecordEnvelope;
    if (name === 'ledger') record = ok(await client.get('/ledger')).body;
    else {
      const created = await watch(server.current, client);
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
      const raised = await watch(server.current, client);
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
