import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import type { KindName } from '../../src/kinds/kind.js';
import { expectList, expectRecord, expectRefusal, expectRules } from '../support/checks.js';
import { dropOf, newKey, proofOver, signed, type TestAnswer, updateOf } from '../support/client.js';
import { changed, createBody, make, ok, type Scene, setScene } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();

/** A row of the table of operations: what is sent about a record of the kind, and what must come back. */
interface Row {
  readonly row: string;
  readonly kind: KindName;
  send(scene: Scene): Promise<void>;
}

const PAGE = { index: 0, limit: 20 };

const create = async (scene: Scene): Promise<TestAnswer> =>
  scene.client.call('POST', scene.collection, createBody(scene));

async function expectCreate(scene: Scene): Promise<void> {
  const record = expectRecord(await create(scene), 201, scene.data);
  expect(record.meta.status).toBe('created');
}

async function expectListed(scene: Scene): Promise<void> {
  const record = await make(scene);
  const { client, collection } = scene;
  const query = collection.endsWith('/factors') ? '' : `?page.limit=2&data.handle=${scene.handle}`;
  const page = query ? { index: 0, limit: 2 } : PAGE;
  expect(expectList(await client.get(collection + query), client, page)).toEqual([record]);
}

async function expectUpdated(scene: Scene): Promise<void> {
  const record = await make(scene);
  const body = updateOf(record, changed(scene.data), scene.client.key);
  expectRecord(await scene.client.call('PUT', `${scene.collection}/${record.luid}`, body), 200, body.data);
}

async function expectChange(scene: Scene): Promise<void> {
  await make(scene);
  const change = await scene.client.get(`${scene.path}/changes/1`);
  expect(change.status).toBe(200);
  expect(change.body.meta).toMatchObject({ change: 1, action: 'create' });
}

async function expectChanges(scene: Scene): Promise<void> {
  await make(scene);
  const changes = await scene.client.get(`${scene.path}/changes`);
  expect(expectList(changes, scene.client, { ...PAGE, total: 1 })).toHaveLength(1);
}

/** The body is one flat proof: `method, public, digest, result, custom`. */
async function expectProved(scene: Scene): Promise<void> {
  const record = await make(scene);
  const proof = proofOver(record.hash, scene.client.key, { note: 'seen' });
  expect(Object.keys(proof).sort()).toEqual(['custom', 'digest', 'method', 'public', 'result']);
  const answer = await scene.client.call('POST', `${scene.path}/proofs`, proof);
  const proved = expectRecord(answer, 200, scene.data);
  expect(proved.meta.proofs.at(-1)).toMatchObject({ ...proof });
}

async function expectChecked(scene: Scene): Promise<void> {
  await make(scene);
  const { client, path } = scene;
  for (const data of [{ action: 'read' }, { action: 'read', record: scene.kind.name }] as JsonObject[]) {
    const answer = await client.create(`${path}/access/!check`, data);
    expect(Object.keys(answer.body)).toEqual(['hash', 'meta', 'data']);
    expect(expectRules(answer, client)).toEqual([{ action: 'any', record: 'any' }]);
  }
  const body = signed({ record: 'any' }, client.key);
  const without = await client.call('POST', `${path}/access/!check`, body);
  const detail = "Schema validation error: request/body/data must have required property 'action'";
  expectRefusal(without, client, 'record.schema-invalid', detail);
}

function expectDropped(method: 'DELETE' | 'POST') {
  return async (scene: Scene): Promise<void> => {
    const record = await make(scene);
    const path = method === 'DELETE' ? scene.path : `${scene.path}/drop`;
    const answer = await scene.client.call(method, path, dropOf(record, scene.client.key));
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    expect((await scene.client.get(scene.path)).status).toBe(404);
  };
}

async function expectRead(scene: Scene): Promise<void> {
  const made = await create(scene);
  expect((await scene.client.get(scene.path)).text).toBe(made.text);
}

/** Reads `{link}` by the luid of the circle signer and by the handle of the signer it links. */
async function expectLink(scene: Scene): Promise<void> {
  const record = await make(scene);
  for (const link of [record.luid, String(record.data.signer)]) {
    expect((await scene.client.get(`${scene.collection}/${link}`)).body).toEqual(record);
  }
}

const rows: Row[] = [
  { row: 'GET /signers | query page, filter | list of signer', kind: 'signer', send: expectListed },
  {
    row: 'POST /signers | envelope with data.handle, data.public, data.format | signer record, status created',
    kind: 'signer',
    send: expectCreate,
  },
  {
    row: 'PUT /signers/{id} | envelope with luid and data.parent | updated signer record',
    kind: 'signer',
    send: expectUpdated,
  },
  {
    row: 'GET /signers/{signer}/factors | query page, filter | list of signer factor',
    kind: 'signer-factor',
    send: expectListed,
  },
  { row: 'GET /signers/{id}/changes/{change} | change snapshot', kind: 'signer', send: expectChange },
  { row: 'POST (signer proofs path) | proof | updated record', kind: 'signer', send: expectProved },
  {
    row: 'PUT /domains/{id} | envelope with luid, data.handle, data.parent, data.custom | updated domain record',
    kind: 'domain',
    send: expectUpdated,
  },
  { row: 'GET /domains/{id}/changes/{change} | change snapshot', kind: 'domain', send: expectChange },
  { row: 'GET /reports | query page, filter | list of report', kind: 'report', send: expectListed },
  {
    row: 'POST /reports | envelope with data.handle, data.schema, data.custom | report record, status created',
    kind: 'report',
    send: expectCreate,
  },
  { row: 'GET /reports/{id} | report record', kind: 'report', send: expectRead },
  { row: 'GET /reports/{id}/changes/{change} | change snapshot', kind: 'report', send: expectChange },
  {
    row: 'POST /reports/{id}/proofs | proof | updated record with new proof at end of meta.proofs',
    kind: 'report',
    send: expectProved,
  },
  {
    row: 'POST /reports/{id}/access/!check | envelope with data.action (required), data.record (optional) | { hash, data: [access entry], meta }',
    kind: 'report',
    send: expectChecked,
  },
  {
    row: 'DELETE /reports/{id} | envelope with luid, hash, data.parent, proof with custom.status dropped | success, content type text/plain',
    kind: 'report',
    send: expectDropped('DELETE'),
  },
  {
    row: 'POST /reports/{id}/drop | same body, identical behaviour, for clients that cannot send a body with DELETE',
    kind: 'report',
    send: expectDropped('POST'),
  },
  { row: 'POST /policies/{id}/access/!check | same as report check', kind: 'policy', send: expectChecked },
  { row: 'POST /policies/{id}/proofs | proof | updated record', kind: 'policy', send: expectProved },
  { row: 'DELETE /policies/{id} | drop envelope | success', kind: 'policy', send: expectDropped('DELETE') },
  {
    row: 'POST /policies/{id}/drop | same body, identical behaviour | success, text/plain',
    kind: 'policy',
    send: expectDropped('POST'),
  },
  {
    row: 'POST /schemas/{id}/proofs | flat proof: method, public, digest, result, custom | updated schema record',
    kind: 'schema',
    send: expectProved,
  },
  { row: 'PUT /schemas/{id} | envelope with data.parent | updated record', kind: 'schema', send: expectUpdated },
  {
    row: 'PUT /effects/{id} | envelope with luid, data.handle, data.parent, data.signal, data.filter, data.action | updated effect record',
    kind: 'effect',
    send: expectUpdated,
  },
  { row: 'DELETE /effects/{id} | drop envelope | success', kind: 'effect', send: expectDropped('DELETE') },
  { row: 'POST (effect drop path) | same as DELETE', kind: 'effect', send: expectDropped('POST') },
  {
    row: 'GET /circles/{id}/signers/{link} | {link}: luid or handle of the linked circle signer | circle signer record',
    kind: 'circle-signer',
    send: expectLink,
  },
  { row: 'DELETE /circles/{id}/signers/{link} | drop envelope', kind: 'circle-signer', send: expectDropped('DELETE') },
  { row: 'POST (circle signer drop path) | same as DELETE', kind: 'circle-signer', send: expectDropped('POST') },
  { row: 'also existing: get effect', kind: 'effect', send: expectRead },
  { row: 'also existing: get signer', kind: 'signer', send: expectRead },
  { row: 'also existing: list policy changes', kind: 'policy', send: expectChanges },
  { row: 'also existing: list report changes', kind: 'report', send: expectChanges },
  { row: 'also existing: list signer changes', kind: 'signer', send: expectChanges },
  { row: 'also existing: list domain changes', kind: 'domain', send: expectChanges },
  { row: 'also existing: check schema access', kind: 'schema', send: expectChecked },
  { row: 'also existing: check signer factor access', kind: 'signer-factor', send: expectChecked },
];

describe('Operations', () => {
  it.each(rows)('$row', async ({ kind, send }) => {
    await send(await setScene(server.current.url, kind));
  });

  it('also existing: list circle signers', async () => {
    const scene = await setScene(server.current.url, 'circle-signer');
    const record = await make(scene);
    expect(expectList(await scene.client.get(scene.collection), scene.client, PAGE)).toEqual([record]);
  });
});

describe('Operation rules', () => {
  const wallet = (): Promise<Scene> => setScene(server.current.url, 'wallet');

  it("1. Update (PUT) and drop: data.parent must equal the record's current hash. When it does not, HTTP 422", async () => {
    const scene = await wallet();
    const { client, path } = scene;
    const first = await make(scene);
    const second: RecordEnvelope = ok(await client.update(path, first, changed(scene.data))).body;
    for (const answer of [
      await client.update(path, first, scene.data),
      await client.drop(path, first),
      await client.call('POST', `${path}/drop`, dropOf(first, client.key)),
    ]) {
      expect(answer.status).toBe(422);
      const detail = "Hash verification failed, hashes don't match";
      expectRefusal(answer, client, 'crypto.parent-hash-invalid', detail);
    }
    expect((await client.get(path)).body).toEqual(second);
  });

  it("2. Add proof: must be signed against the record's current hash; proofs can change status, update labels or record custom data", async () => {
    const scene = await wallet();
    const { client, path } = scene;
    const record = await make(scene);
    const custom = { status: 'active', labels: { $push: ['a'] }, ticket: 'T-1' };
    const { meta } = ok(await client.prove(path, record, custom)).body;
    expect(meta).toMatchObject({ status: 'active', labels: ['a'] });
    expect(meta.proofs.at(-1).custom).toMatchObject(custom);
    const answer = await client.prove(path, { ...record, hash: 'a'.repeat(64) }, {});
    expectRefusal(answer, client, 'crypto.signature-invalid', `Invalid signature for key: ${client.key.public}`);
  });

  it('3. List changes: newest first; each item a full snapshot with meta.action and moment. After a drop reachable only by luid', async () => {
    const scene = await wallet();
    const { client, path } = scene;
    const first = await make(scene);
    const second = ok(await client.update(path, first, changed(scene.data))).body;
    await client.drop(path, second);
    expectRefusal(await client.get(`${path}/changes`), client, 'record.not-found', 'Wallet not found');
    const changes = await client.get(`/wallets/${first.luid}/changes`);
    const items = expectList(changes, client, { ...PAGE, total: 3 }) as unknown as {
      data: JsonObject;
      meta: JsonObject;
    }[];
    expect(items.map(({ meta }) => meta.action)).toEqual(['drop', 'update', 'create']);
    expect(items.map(({ data }) => data)).toEqual([second.data, second.data, first.data]);
    const moments = items.map(({ meta }) => String(meta.moment));
    expect(moments).toEqual(moments.toSorted().toReversed());
  });

  it('4. Get change: returns the single snapshot with the given meta.change', async () => {
    const scene = await wallet();
    const { client, path } = scene;
    const first = await make(scene);
    await client.update(path, first, changed(scene.data));
    for (const number of [1, 2]) {
      expect((await client.get(`${path}/changes/${number}`)).body.meta.change).toBe(number);
    }
    expectRefusal(await client.get(`${path}/changes/3`), client, 'record.not-found', 'Change not found');
  });

  it('6. Create signer: a public key is enough; an optional private key must be encrypted client-side', async () => {
    const scene = await setScene(server.current.url, 'signer');
    const data = { handle: 'alice', public: newKey().public, format: 'ed25519-raw' };
    expectRecord(await scene.client.create('/signers', data), 201, data);
    const secret = 'v1.ciphertext-of-the-client';
    const sealed = { ...data, handle: 'bob', secret };
    expect(expectRecord(await scene.client.create('/signers', sealed), 201, sealed).data.secret).toBe(secret);
  });

  it('8. Access check: evaluates access policies for the calling signer and returns resolved permissions', async () => {
    const other = newKey();
    const access = [
      { action: 'access' },
      { action: 'create', record: 'symbol' },
      { action: 'read', record: 'symbol', bearer: { $signer: { public: other.public } } },
    ];
    const scene = await setScene(server.current.url, 'symbol', { access });
    await make(scene);
    const check = (client: Scene['client']) => client.create(`${scene.path}/access/!check`, { action: 'read' });
    expect(expectRules(await check(scene.client), scene.client)).toEqual([]);
    expect(expectRules(await check(scene.client.as(other)), scene.client)).toEqual([
      { action: 'read', record: 'symbol' },
    ]);
  });
});
