import {
  hash as hashOf,
  isLuid,
  type JsonObject,
  type RecordEnvelope,
  type StoredProof,
  verifyProof,
} from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../../src/auth/native-suite.js';
import type { KindName } from '../../../src/kinds/kind.js';
import { PREFIXES } from '../../kinds/prefixes.js';
import { expectList, expectRecord, expectRefusal, expectRules } from '../../support/checks.js';
import {
  dropOf,
  newKey,
  noteLedger,
  OPEN,
  proofOver,
  systemKeyOf,
  type TestAnswer,
  updateOf,
} from '../../support/client.js';
import { testedKinds } from '../../support/kinds.js';
import {
  changed,
  createBody,
  make,
  makeCurrent,
  ok,
  type Scene,
  setScene,
  stored,
  withSecret,
} from '../../support/scene.js';
import { withServer } from '../../support/server.js';

/** Members of the full example in served order (interface/envelope#member-order). */
const SERVED: Readonly<Record<KindName, readonly string[]>> = {
  ledger: ['handle', 'signer', 'custom', 'access', 'config'],
  signer: ['handle', 'custom', 'access', 'format', 'public', 'secret'],
  'signer-factor': ['handle', 'schema', 'signer', 'format', 'public', 'secret', 'custom', 'access'],
  domain: ['handle', 'custom', 'access'],
  report: ['handle', 'schema', 'custom', 'access'],
  policy: ['handle', 'custom', 'extend', 'access', 'values', 'record', 'schema'],
  schema: ['handle', 'format', 'record', 'schema', 'extend', 'custom', 'access'],
  effect: ['handle', 'signal', 'filter', 'action', 'custom', 'access'],
  circle: ['handle', 'custom', 'access'],
  'circle-signer': ['circle', 'signer', 'custom'],
  anchor: ['handle', 'wallet', 'symbol', 'target', 'source', 'amount', 'custom', 'access'],
  wallet: ['handle', 'bridge', 'routes', 'custom', 'access'],
  intent: ['handle', 'claims', 'config', 'custom', 'access'],
  symbol: ['handle', 'factor', 'custom', 'access'],
  bridge: ['handle', 'config', 'secure', 'traits', 'schema', 'custom', 'access'],
};

const META = ['proofs', 'status', 'moment', 'owners'];
const META_OF_INTENT = ['proofs', 'status', 'thread', 'domains', 'moment', 'owners'];

/** Of the client's proof: circle signers come without `origin` (interface/proofs#proofs-as-served). */
function clientProofKeys(name: KindName, registered: boolean): string[] {
  const keys = ['custom', 'digest', 'method', 'origin', 'public', 'result', ...(registered ? ['signer'] : [])];
  return name === 'circle-signer' ? keys.filter((key) => key !== 'origin') : keys;
}

function expectSystemProof(proof: StoredProof | undefined, scene: Scene, custom: JsonObject): void {
  expect(Object.keys(proof ?? {})).toEqual(['custom', 'digest', 'method', 'origin', 'public', 'result', 'signer']);
  expect(proof).toMatchObject({ origin: 'key-pair', signer: 'system', public: systemKeyOf(scene.client), custom });
  expect(Object.keys(proof?.custom ?? {})).toEqual(Object.keys(custom));
}

/** Nothing the client sent is missing, altered or reordered within, and nothing is added. */
function expectServedData(served: JsonObject, sent: JsonObject, order: readonly string[]): void {
  expect(Object.keys(served)).toEqual(order);
  for (const member of order) expect(JSON.stringify(served[member])).toBe(JSON.stringify(sent[member]));
  expect(Object.keys(sent).every((member) => member in served)).toBe(true);
}

async function create(scene: Scene, body: JsonObject = createBody(scene)): Promise<TestAnswer> {
  const answer = await scene.maker.call('POST', scene.collection, body);
  if (scene.kind.name === 'ledger') noteLedger(answer.body);
  return answer;
}

const server = withServer();

describe.each(testedKinds)('a $name', (kind) => {
  const { name } = kind;
  const serves = (operation: string) => (kind.lifecycle.operations as readonly string[]).includes(operation);

  describe('of every member', () => {
    let scene: Scene;
    beforeAll(async () => {
      scene = await setScene(server.current.url, name, { shape: 'full' });
    });

    it('is created, countersigned, and read by handle and luid byte for byte', async () => {
      const body = createBody(scene);
      const answer = await create(scene, body);
      const record = expectRecord(answer, name === 'circle-signer' ? 200 : 201, scene.data);
      expectServedData(record.data, scene.data, SERVED[name]);
      expect(isLuid(record.luid, PREFIXES[name])).toBe(true);
      expect(Object.keys(record.meta)).toEqual(name === 'intent' ? META_OF_INTENT : META);
      expect(record.meta.status).toBe(name === 'intent' ? 'pending' : 'created');
      expect(record.meta.owners).toEqual([scene.maker.key.public]);

      const [own, ...system] = record.meta.proofs;
      expect(Object.keys(own ?? {})).toEqual(clientProofKeys(name, false));
      expect(own).toMatchObject(body.meta.proofs[0] ?? {});
      expect(system).toHaveLength(name === 'intent' ? 2 : 1);
      const { luid } = record;
      const moment = expect.any(String) as unknown as string;
      if (name === 'intent') expectSystemProof(system[0], scene, { moment, status: 'pending' });
      const status = name === 'intent' ? 'pending' : 'created';
      expectSystemProof(system.at(-1), scene, { luid, moment, status });

      const { client, path } = scene;
      const byLuid = name === 'ledger' ? `/ledgers/${luid}` : path.replace(/[^/]+$/, luid);
      const paths = [path, byLuid, byLuid.replace('$', '%24')];
      for (const read of await Promise.all(paths.map((one) => client.get(one)))) {
        expect(read.status).toBe(200);
        if (!kind.lifecycle.isProcessed) expect(read.text).toBe(answer.text);
        else expect(read.body.meta.proofs.slice(0, 3)).toEqual(answer.body.meta.proofs);
      }
    });
  });

  it('carries the proofs of every signer, told by name where registered, and their keys as owners', async () => {
    const scene = await setScene(server.current.url, name);
    const [registered, stranger] = [newKey(), newKey()];
    if (name !== 'ledger') {
      await stored(scene.client, 'signer', { handle: 'alice', public: registered.public, format: 'ed25519-raw' });
    }
    const hash = hashOf(scene.data, native);
    const keys = [stranger, registered, stranger];
    const proofs = keys.map((key, index) => proofOver(hash, key, { status: 'created', index }));
    const claimed = proofs.map((proof) => ({ ...proof, signer: 'mallory', origin: 'oauth2-token', issuer: 'mallory' }));
    const body = { hash, data: scene.data, meta: { ...createBody(scene).meta, proofs: claimed } };
    const record = expectRecord(await create(scene, body), name === 'circle-signer' ? 200 : 201, scene.data);
    expect(record.meta.owners).toEqual([stranger.public, registered.public]);
    const own = record.meta.proofs.slice(0, 3);
    const signer = name === 'ledger' ? undefined : 'alice';
    expect(own.map((proof) => proof.signer)).toEqual([undefined, signer, undefined]);
    expect(own.map(({ custom }) => custom?.index)).toEqual([0, 1, 2]);
    for (const proof of own) expect(Object.keys(proof)).toEqual(clientProofKeys(name, proof.signer !== undefined));
  });

  if (serves('update'))
    it('is updated: data replaced, proofs replaced, the rest kept', async () => {
      const scene = await setScene(server.current.url, name);
      const first = await make(scene);
      const proved = ok(await scene.client.prove(scene.path, first, { status: 'active', labels: ['a', 'b'] })).body;
      const data = changed(scene.data);
      const body = withSecret(updateOf(proved, data, scene.client.key), scene.secret);
      const answer = await scene.client.call('PUT', scene.path, body);
      const record = expectRecord(answer, 200, { parent: first.hash, ...data });
      const order = SERVED[name].filter((member) => member in data || member in first.data);
      const withParent = order.includes('custom') ? order : [...order, 'custom'];
      expectServedData(record.data, { parent: first.hash, ...data }, ['parent', ...withParent]);
      expect(record.luid).toBe(first.luid);
      expect(record.meta.status).toBe('active');
      expect(record.meta.owners).toEqual(first.meta.owners);
      expect(record.meta.labels).toEqual(['a', 'b']);
      expect(Object.keys(record.meta)).toEqual([...META, 'labels']);
      expect(record.meta.moment > first.meta.moment).toBe(true);
      expect(record.meta.proofs).toHaveLength(2);
      expect(record.meta.proofs[0]).toMatchObject(body.meta.proofs[0] ?? {});
      const moment = expect.any(String) as unknown as string;
      expectSystemProof(record.meta.proofs[1], scene, { luid: first.luid, moment });
      expect((await scene.client.get(scene.path)).text).toBe(answer.text);
    });

  if (serves('proof'))
    it('takes a proof, which the ledger does not countersign', async () => {
      const scene = await setScene(server.current.url, name);
      const first = await makeCurrent(scene);
      for (const end of ['/proofs', ...(kind.lifecycle.proofAliases ?? [])]) {
        const proof = proofOver(first.hash, scene.client.key, { note: { seen: [true, null, end] } });
        const answer = await scene.client.call('POST', scene.path + end, proof);
        const record = expectRecord(answer, 200, scene.data);
        expect(record.data).toEqual(first.data);
        expect(record.luid).toBe(first.luid);
        expect(record.meta.proofs.slice(0, first.meta.proofs.length)).toEqual(first.meta.proofs);
        expect(record.meta.proofs.at(-1)).toEqual({ ...proof, origin: 'key-pair' });
        expect(Object.keys(record.meta.proofs.at(-1) ?? {})).toEqual(clientProofKeys(name, false));
        expect(record.meta.status).toBe(first.meta.status);
        expect((await scene.client.get(scene.path)).text).toBe(answer.text);
      }
      const ends = 1 + (kind.lifecycle.proofAliases?.length ?? 0);
      expect((await scene.client.get(scene.path)).body.meta.proofs).toHaveLength(first.meta.proofs.length + ends);
    });

  // The versions that processing makes are those of test/money/settle.test.ts.
  if (serves('changes') && !kind.lifecycle.isProcessed)
    it('keeps every version, numbered, newest first', async () => {
      const scene = await setScene(server.current.url, name);
      const { client, path } = scene;
      const versions = [await make(scene)];
      const current = () => versions.at(-1) as RecordEnvelope;
      if (serves('proof')) versions.push(ok(await client.prove(path, current(), { note: 'seen' })).body);
      if (serves('update')) {
        const body = withSecret(updateOf(current(), changed(scene.data), client.key), scene.secret);
        versions.push(ok(await client.call('PUT', path, body)).body);
      }
      const total = versions.length;
      const changes = expectList(await client.get(`${path}/changes`), client, { index: 0, limit: 20, total });
      expect(changes).toHaveLength(total);
      for (const [index, change] of changes.toReversed().entries()) {
        const version = versions[index] as RecordEnvelope;
        expect(Object.keys(change)).toEqual(['hash', 'luid', 'meta', 'data']);
        const { labels, change: number, action, ...meta } = change.meta as JsonObject;
        expect({ ...change, meta }).toEqual(version);
        expect(number).toBe(index + 1);
        expect(action).toBe(index === 0 ? 'create' : 'update');
        if (name === 'anchor') expect('labels' in change.meta).toBe(false);
        else expect(labels).toBeNull();
        const order = [
          'proofs',
          'status',
          'moment',
          'change',
          'action',
          'owners',
          ...(name === 'anchor' ? [] : ['labels']),
        ];
        expect(Object.keys(change.meta).slice(0, order.length)).toEqual(order);
        for (const proof of change.meta.proofs) expect(verifyProof(change.hash, proof, native)).toBe(true);
        const alone = await client.get(`${path}/changes/${index + 1}`);
        expect(alone.status).toBe(200);
        expect(alone.text).toBe(JSON.stringify(change));
      }
      const page = await client.get(`${path}/changes?page.index=1&page.limit=1`);
      expect(expectList(page, client, { index: 1, limit: 1, total })).toEqual(changes.slice(1, 2));
      const unknown = await client.get(`${path}/changes/${total + 1}`);
      const detail = name === 'signer-factor' ? 'Signer factor change not found' : 'Change not found';
      expectRefusal(unknown, client, 'record.not-found', detail);
      for (const number of ['0', '-1', 'x', '1.5', '1e3', '01']) {
        expectRefusal(
          await client.get(`${path}/changes/${number}`),
          client,
          'record.schema-invalid',
          /request\/params\/change/,
        );
      }
    });

  if (serves('drop'))
    it.each(['DELETE', 'POST'])('is dropped by %s; its history stays, its handle is free', async (method) => {
      const scene = await setScene(server.current.url, name);
      const {
        client,
        path,
        kind: { missing },
      } = scene;
      const record = await make(scene);
      const before = await client.get(scene.collection);
      const body = dropOf(record, client.key, 'no longer needed');
      const answer = await client.call(method, method === 'POST' ? `${path}/drop` : path, body);
      expect(answer.status).toBe(204);
      expect(answer.text).toBe('');
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);

      const byLuid = path.replace(/[^/]+$/, record.luid);
      for (const gone of [path, byLuid, ...(serves('changes') ? [`${path}/changes`, `${path}/changes/1`] : [])]) {
        expectRefusal(await client.get(gone), client, 'record.not-found', `${missing} not found`);
      }
      const left = expectList(await client.get(scene.collection), client, { index: 0, limit: 20 });
      expect(left).toEqual(before.body.data.filter((one: RecordEnvelope) => one.luid !== record.luid));
      if (serves('changes')) await expectDropped(scene, record, body.hash, byLuid);

      const again = await client.call('POST', scene.collection, createBody(scene));
      expect(again.status, again.text).toBe(name === 'circle-signer' ? 200 : 201);
      expect(again.body.luid).not.toBe(record.luid);
      if (serves('changes')) {
        expect((await client.get(`${path}/changes`)).body.page.total).toBe(1);
        expect((await client.get(`${byLuid}/changes`)).body.page.total).toBe(2);
      }
    });

  if (name !== 'ledger')
    it('is listed, signed, the newest change first', async () => {
      const scene = await setScene(server.current.url, name, { shape: 'full' });
      const { client, collection } = scene;
      const born = expectList(await client.get(collection), client, { index: 0, limit: 20 });
      const record = await makeCurrent(scene);
      const listed = expectList(await client.get(collection), client, { index: 0, limit: 20 });
      expect(listed).toEqual([record, ...born].slice(0, 20));
      const first = await client.get(`${collection}?page.limit=1`);
      expect(JSON.stringify(expectList(first, client, { index: 0, limit: 1 }))).toBe(`[${JSON.stringify(record)}]`);
      expectList(await client.get(`${collection}?page.index=99`), client, { index: 99, limit: 20 });
    });

  if (serves('check'))
    it('tells the caller its rights', async () => {
      const scene = await setScene(server.current.url, name);
      await make(scene);
      const { client, path } = scene;
      const check = (data: JsonObject) => client.create(`${path}/access/!check`, data, {});
      expect(expectRules(await check({ action: 'read' }), client)).toEqual(OPEN);
      expect(expectRules(await check({ action: 'update', record: name }), client)).toEqual(OPEN);
    });

  it('is made once: the same signed body again answers 200 with the record, another body 409', async () => {
    const scene = await setScene(server.current.url, name, { shape: 'full' });
    const body = createBody(scene);
    const first = await create(scene, body);
    const again = await create(scene, body);
    expect(again.status).toBe(200);
    const { isProcessed = false } = kind.lifecycle;
    expect(again.text).toBe(isProcessed ? (await scene.client.get(scene.path)).text : first.text);
    if (serves('changes') && !isProcessed)
      expect((await scene.client.get(`${scene.path}/changes`)).body.page.total).toBe(1);
    const other = createBody({ ...scene, data: changed(scene.data) });
    const title = scene.kind.title;
    const detail = `${title} with handle ${scene.handle} already exists.`;
    expectRefusal(await scene.maker.call('POST', scene.collection, other), scene.maker, 'record.duplicated', detail);
    const resigned = createBody({ ...scene, maker: scene.maker.as(newKey()) });
    expectRefusal(await scene.maker.call('POST', scene.collection, resigned), scene.maker, 'record.duplicated', detail);
  });
});

async function expectDropped(scene: Scene, record: RecordEnvelope, dropHash: string, byLuid: string): Promise<void> {
  const { client } = scene;
  const history = expectList(await client.get(`${byLuid}/changes`), client, { index: 0, limit: 20, total: 2 });
  const last = history[0] as RecordEnvelope;
  expect(last).toMatchObject({ hash: record.hash, luid: record.luid, data: record.data });
  expect(last.meta).toMatchObject({ action: 'drop', change: 2, status: 'dropped', owners: record.meta.owners });
  const [own, system, ...more] = last.meta.proofs.slice(record.meta.proofs.length);
  expect(more).toEqual([]);
  expect(own?.custom).toMatchObject({ status: 'dropped', reason: 'no longer needed' });
  for (const proof of [own, system]) expect(verifyProof(dropHash, proof as StoredProof, native)).toBe(true);
  expect(dropHash).toBe(hashOf({ parent: last.hash }, native));
  const moment = expect.any(String) as unknown as string;
  expectSystemProof(system, scene, { luid: record.luid, moment, status: 'dropped' });
  expect(JSON.stringify(last)).toBe((await client.get(`${byLuid}/changes/2`)).text);
}
