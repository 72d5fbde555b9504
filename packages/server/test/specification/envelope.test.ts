import { hash as hashOf, isLuid, type JsonObject, type RecordEnvelope, verifyProof } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, proofOver, signed, systemKeyOf, type TestClient } from '../support/client.js';
import { make, ok, type Scene, setScene, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();

const ledger = (): Promise<TestClient> => newLedger(server.current.url);

describe('Common record envelope', () => {
  it('luid | Ledger-unique id, form `$<kind-prefix>.-<id>`. Assigned by the server. Accepted wherever {id} appears', async () => {
    const client = await ledger();
    const body = { ...signed({ handle: 'w' }, client.key), luid: `$wlt.-${'a'.repeat(16)}` };
    const first: RecordEnvelope = ok(await client.call('POST', '/wallets', body)).body;
    const second = await stored(client, 'wallet', { handle: 'v' });
    expect(isLuid(first.luid, 'wlt') && isLuid(second.luid, 'wlt')).toBe(true);
    expect(new Set([first.luid, second.luid, body.luid]).size).toBe(3);
    const path = `/wallets/${first.luid}`;
    expect((await client.get(path)).body).toEqual(first);
    const updated = ok(await client.update(path, first, { handle: 'w', custom: {} })).body;
    const proved = ok(await client.prove(path, updated, { status: 'active' })).body;
    expect((await client.get(`${path}/changes`)).body.page.total).toBe(3);
    expect((await client.get(`${path}/changes/3`)).body.meta.status).toBe('active');
    expect((await client.create(`${path}/access/!check`, { action: 'read' })).status).toBe(200);
    expect((await client.drop(path, proved)).status).toBe(204);
  });

  it('hash | 64 hex characters; hash of the data part. Sent by the client on writes', async () => {
    const client = await ledger();
    const data = { handle: 'w', custom: { z: 1, a: 'é' } };
    const record = await stored(client, 'wallet', data);
    expect(record.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(record.hash).toBe(hashOf(data, native));
    const { hash, ...withoutHash } = signed({ handle: 'v' }, client.key);
    const missing = await client.call('POST', '/wallets', withoutHash);
    expectRefusal(
      missing,
      client,
      'record.schema-invalid',
      "Schema validation error: request/body must have required property 'hash'",
    );
    const upper = await client.call('POST', '/wallets', { ...withoutHash, hash: hash.toUpperCase() });
    expect(upper.body.hash).toBe(hash);
  });

  it('data | data.handle is the human-readable address; data.parent is the hash of the version being replaced; data.custom is a free-form object', async () => {
    const client = await ledger();
    const custom = { 'any key': [1, { deep: null }], '': false };
    const first = await stored(client, 'wallet', { handle: 'tel:385@acc', custom });
    expect(first.data).toEqual({ handle: 'tel:385@acc', custom });
    const second = ok(await client.update('/wallets/tel:385@acc', first, { handle: 'tel:385@acc' })).body;
    expect(second.data).toEqual({ parent: first.hash, handle: 'tel:385@acc' });
    for (const one of ['text', [], null, 1]) {
      const answer = await client.create('/wallets', { handle: 'v', custom: one });
      expectRefusal(
        answer,
        client,
        'record.schema-invalid',
        'Schema validation error: request/body/data/custom must be object',
      );
    }
  });

  it('meta.status | Current status', async () => {
    const client = await ledger();
    const record = await stored(client, 'wallet', { handle: 'w' });
    expect(record.meta.status).toBe('created');
    ok(await client.prove('/wallets/w', record, { status: 'active' }));
    expect((await client.get('/wallets/w')).body.meta.status).toBe('active');
  });

  it('meta.moment | ISO 8601 UTC timestamp of the last server change', async () => {
    const client = await ledger();
    const versions = [await stored(client, 'wallet', { handle: 'w' })];
    versions.push(ok(await client.prove('/wallets/w', versions[0]!, { note: 'a' })).body);
    versions.push(ok(await client.update('/wallets/w', versions[1]!, { handle: 'w' })).body);
    const moments = versions.map(({ meta }) => meta.moment);
    for (const moment of moments) {
      expect(new Date(moment).toISOString()).toBe(moment);
      expect(Math.abs(Date.now() - Date.parse(moment))).toBeLessThan(60_000);
    }
    expect(moments).toEqual(moments.toSorted());
    expect((await client.get('/wallets/w/changes')).body.data.map(momentOf)).toEqual(moments.toReversed());
  });

  it('meta.owners | Public keys owning the record', async () => {
    const client = await ledger();
    const record = await stored(client, 'wallet', { handle: 'w' });
    expect(record.meta.owners).toEqual([client.key.public]);
  });

  it('meta.proofs | array of proof, oldest first', async () => {
    const client = await ledger();
    const record = await stored(client, 'wallet', { handle: 'w' });
    for (const note of ['first', 'second']) ok(await client.prove('/wallets/w', record, { note }));
    const { proofs } = (await client.get('/wallets/w')).body.meta;
    expect(proofs.slice(0, 2)).toEqual(record.meta.proofs);
    expect(proofs.slice(2).map((proof: { custom: JsonObject }) => proof.custom.note)).toEqual(['first', 'second']);
  });

  it('meta.action, meta.change | Only in change snapshots: create, update or drop; sequence number', async () => {
    const client = await ledger();
    const record = await stored(client, 'wallet', { handle: 'w' });
    const updated = ok(await client.update('/wallets/w', record, { handle: 'w' })).body;
    for (const one of [record, updated, (await client.get('/wallets')).body.data[0]]) {
      expect(one.meta).not.toHaveProperty('action');
      expect(one.meta).not.toHaveProperty('change');
    }
    await client.drop('/wallets/w', updated);
    const { data } = (await client.get(`/wallets/${record.luid}/changes`)).body;
    const told = data.map(({ meta }: { meta: JsonObject }) => [meta.action, meta.change]);
    expect(told).toEqual([
      ['drop', 3],
      ['update', 2],
      ['create', 1],
    ]);
  });

  it('meta.labels, meta.domain | Filterable record labels and domain scope', async () => {
    const client = await ledger();
    await stored(client, 'domain', { handle: 'shop' });
    const record = await stored(client, 'wallet', { handle: 'w@shop' });
    await stored(client, 'wallet', { handle: 'v' });
    ok(await client.prove('/wallets/w@shop', record, { labels: ['vip', 'eu'] }));
    for (const query of ['meta.labels=vip', 'meta.labels=eu', 'meta.domain=shop', 'meta.labels=vip&meta.domain=shop']) {
      expect((await client.get(`/wallets?${query}`)).body.data.map(handleOf)).toEqual(['w@shop']);
    }
    expect((await client.get('/wallets?meta.labels=other')).body.data).toEqual([]);
  });

  it.each(['a', 'Z', '0', '_', '-', '+', 'a.', '...', 'Az09_-+.', 'schema:name@parent', 'name@parent@other'])(
    'A handle accepts letters, digits, underscore, hyphen, plus, dot: %s',
    async (handle) => {
      const client = await ledger();
      expect((await stored(client, 'wallet', { handle })).data.handle).toBe(handle);
      expect((await client.get(`/wallets/${encodeURIComponent(handle)}`)).status).toBe(200);
    },
  );
});

describe('Proof', () => {
  async function proofs(): Promise<{ client: TestClient; record: RecordEnvelope }> {
    const client = await ledger();
    await stored(client, 'signer', { handle: 'alice', public: client.key.public, format: 'ed25519-raw' });
    return { client, record: await stored(client, 'wallet', { handle: 'w' }) };
  }

  it('signer | Handle of the signing signer. Set by the server in responses; omitted in requests', async () => {
    const { record } = await proofs();
    expect(record.meta.proofs.map(({ signer }) => signer)).toEqual(['alice', 'system']);
  });

  it('method | Signature method; value seen is ed25519-v2', async () => {
    const { client, record } = await proofs();
    expect(record.meta.proofs.map(({ method }) => method)).toEqual(['ed25519-v2', 'ed25519-v2']);
    const other = { ...proofOver(record.hash, client.key), method: 'ed25519' };
    const answer = await client.call('POST', '/wallets/w/proofs', other);
    expectRefusal(answer, client, 'crypto.signature-invalid', `Invalid signature for key: ${client.key.public}`);
  });

  it('digest, public, result | Hex digest that was signed; Base64 public key; Base64 signature', async () => {
    const { client, record } = await proofs();
    const publics = record.meta.proofs.map((proof) => {
      expect(proof.digest).toMatch(/^[0-9a-f]{64}$/);
      expect(Buffer.from(proof.result, 'base64')).toHaveLength(64);
      expect(verifyProof(record.hash, proof, native)).toBe(true);
      expect(verifyProof(record.hash, { ...proof, custom: { ...proof.custom, more: 1 } }, native)).toBe(false);
      return proof.public;
    });
    expect(publics).toEqual([client.key.public, systemKeyOf(client)]);
  });

  it('custom | moment, status (requested new status), reason (free text, on drops), luid (set by the server in its own proof)', async () => {
    const { client, record } = await proofs();
    const [own, system] = record.meta.proofs;
    expect(own?.custom).toEqual({ moment: expect.any(String), status: 'created' });
    expect(system?.custom).toEqual({ luid: record.luid, moment: expect.any(String), status: 'created' });
    await client.drop('/wallets/w', record, 'no longer in use');
    const last = (await client.get(`/wallets/${record.luid}/changes/2`)).body.meta.proofs.slice(2);
    expect(last[0].custom).toEqual({ moment: expect.any(String), status: 'dropped', reason: 'no longer in use' });
    expect(last[1].custom).toEqual({ luid: record.luid, moment: expect.any(String), status: 'dropped' });
  });
});

describe('Kinds', () => {
  const rows = [
    ['signer', '$snr', ['handle', 'public', 'format', 'secret', 'custom']],
    ['signer-factor', '$snf', ['handle', 'signer', 'public', 'format', 'schema', 'custom']],
    ['domain', '$dom', ['handle', 'custom']],
    ['report', '$rep', ['handle', 'schema', 'custom']],
    ['policy', '$plc', ['handle', 'schema', 'values', 'record']],
    ['schema', '$sch', ['handle', 'format', 'schema', 'record']],
    ['effect', '$eff', ['handle', 'signal', 'filter', 'action']],
    ['circle-signer', '$csn', ['signer', 'circle']],
    ['anchor', '$anc', ['handle', 'wallet', 'target', 'symbol', 'custom']],
    ['wallet', '$wlt', ['handle', 'access', 'custom']],
  ] as const;

  it.each(rows)('%s | %s | data fields %j', async (name, prefix, fields) => {
    const scene: Scene = await setScene(server.current.url, name, { shape: 'full' });
    const record = await make(scene);
    expect(record.luid.startsWith(`${prefix}.-`)).toBe(true);
    expect(Object.keys(record.data)).toEqual(expect.arrayContaining([...fields]));
    expect(record.data).toEqual(scene.data);
  });

  it.each(['key-pair', 'totp'])('signer factor | schema (values seen: key-pair, totp): %s', async (schema) => {
    const client = await ledger();
    await stored(client, 'signer', { handle: 'alice', public: client.key.public, format: 'ed25519-raw' });
    const pair = schema === 'key-pair' ? { public: client.key.public, format: 'ed25519-raw' } : {};
    const factor = await stored(client, 'signer-factor', { handle: 'f', signer: 'alice', schema, ...pair });
    expect(factor.data.schema).toBe(schema);
  });

  it.each(['any', 'read', 'update', 'retry-event', 'activate'])(
    'Access entry: action %s, and record (string; value any seen)',
    async (action) => {
      const client = await ledger();
      const access = [{ action, record: 'any' }, { action }];
      expect((await stored(client, 'wallet', { handle: 'w', access })).data.access).toEqual(access);
    },
  );

  it('effect | action (object with bridge: handle of a bridge)', async () => {
    const client = await ledger();
    const effect = {
      handle: 'e',
      signal: 'intent-created',
      filter: { 'intent.data.schema': 'x' },
      action: { bridge: 'b' },
    };
    expect((await stored(client, 'effect', effect)).data).toEqual(effect);
  });
});

const handleOf = ({ data }: RecordEnvelope) => data.handle;
const momentOf = ({ meta }: RecordEnvelope) => meta.moment;
