import { hash as hashOf, type JsonObject, type RecordEnvelope, verifyProof } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { expectList, expectRecord, expectRefusal } from '../support/checks.js';
import { newKey, newLedger, OPEN, signed, systemKeyOf, TestClient, updateOf } from '../support/client.js';
import { ok } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withServer();

const ledger = (options = {}) => newLedger(server.current.url, options);

describe('the record of a ledger (interface/ledgers#the-record-of-a-ledger)', () => {
  it('without config is served without, also after an update; a null that was signed is kept', async () => {
    const client = await ledger();
    const record: RecordEnvelope = (await client.get('/ledger')).body;
    expect(Object.keys(record.data)).toEqual(['handle', 'signer', 'access']);
    const updated = ok(await client.update('/ledger', record, record.data)).body;
    expect(Object.keys(updated.data)).toEqual(['parent', 'handle', 'signer', 'access']);
    // Clients of the reference service send back what they read there.
    const sent = { ...record.data, config: null };
    const back = ok(await client.update('/ledger', updated, sent)).body;
    expect(back.data).toEqual({ ...sent, parent: updated.hash });
    expect(back.hash).toBe(hashOf(back.data, native));
    const left = ok(await client.update('/ledger', back, record.data)).body;
    expect(left.data).not.toHaveProperty('config');
  });

  it('is the same by the path of older clients, by handle and luid, with or without the header', async () => {
    const client = await ledger();
    const { text, body: record } = await client.get('/ledger');
    const outside = client.in(undefined);
    for (const id of [client.ledger, record.luid, encodeURIComponent(record.luid)]) {
      expect((await client.get(`/ledgers/${id}`)).text).toBe(text);
      expect((await outside.get(`/ledgers/${id}`)).text).toBe(text);
    }
    const body = updateOf(
      record,
      { handle: record.data.handle, signer: 'system', access: record.data.access },
      client.key,
    );
    const updated = await outside.call('PUT', `/ledgers/${client.ledger}`, body);
    expectRecord(updated, 200, body.data);
    expect((await client.get('/ledger')).text).toBe(updated.text);
    const unknown = await outside.get('/ledgers/nowhere-at-all');
    expectRefusal(unknown, outside, 'api.route-not-found', 'Server does not host requested ledger');
  });

  it('keeps its handle, which tokens, headers and clients name it by', async () => {
    const client = await ledger();
    const record = (await client.get('/ledger')).body;
    const answer = await client.update('/ledger', record, { handle: `${client.ledger}-2`, signer: 'system' });
    expectRefusal(answer, client, 'record.update-rejected', `Cannot change handle of ledger '${client.ledger}'`);
  });

  it('is neither dropped nor made under the path of one ledger', async () => {
    const client = await ledger();
    const record = (await client.get('/ledger')).body;
    expectRefusal(await client.drop('/ledger', record), client, 'api.route-not-found', 'Route not found');
    for (const path of ['/ledger', '/ledger/drop', `/ledgers/${client.ledger}/proofs`]) {
      const answer = await client.call('POST', path, signed({ handle: 'x', signer: 'system' }, client.key));
      expectRefusal(answer, client, 'api.route-not-found', 'Route not found');
    }
    expect((await client.get('/ledger')).body).toEqual(record);
  });

  it('keeps config that it does not know, and refuses what it knows better', async () => {
    const config = { 'access.strategy': 'record-based', 'intent.expiryThresholdMinutes': 60, 'x.unknown': { a: [1] } };
    const client = await ledger({ config });
    expect((await client.get('/ledger')).body.data.config).toEqual(config);
    const outside = client.in(undefined);
    const bad: JsonObject[] = [
      { 'access.strategy': 'none' },
      { 'intent.expiryThresholdMinutes': 0 },
      { 'anchor.walletRequired': 'yes' },
    ];
    for (const one of bad) {
      const answer = await outside.create('/ledgers', { handle: 'refused', signer: 'system', config: one });
      expectRefusal(answer, outside, 'record.schema-invalid', /request\/body\/data\/config/);
    }
    expect((await outside.get('/ledgers/refused')).status).toBe(404);
  });
});

describe('POST /ledgers', () => {
  it('without a signer means system, and is served as it was signed', async () => {
    const outside = new TestClient(server.current.url);
    const data = { handle: `unsaid-${process.pid}-${Date.now()}`, access: OPEN };
    const record = expectRecord(await outside.create('/ledgers', data), 201, data);
    expect(record.data).toEqual(data);
    expect(record.meta.proofs.at(-1)?.signer).toBe('system');
    const client = outside.in(data.handle);
    expect((await client.get('/signers/system')).body.data.public).toBe(record.meta.proofs.at(-1)?.public);
    const updated = ok(await client.update('/ledger', record, { ...data, signer: 'system' })).body;
    expect(updated.data.signer).toBe('system');
    const left = ok(await client.update('/ledger', updated, data)).body;
    expect(left.data).toEqual({ parent: updated.hash, ...data });
    const other = await outside.create('/ledgers', { handle: 'other-signer', signer: 'core' });
    const detail =
      'Schema validation error: request/body/data/signer must be equal to one of the allowed values: system';
    expectRefusal(other, outside, 'record.schema-invalid', detail);
  });
});

describe('GET /ledgers', () => {
  it('lists the ledgers that the token’s key owns, newest first, and no others', async () => {
    const key = newKey();
    const first = await ledger({ key });
    const second = await ledger({ key });
    await ledger();
    const outside = first.in(undefined);
    const listed = expectList(await outside.get('/ledgers', bearer(key)), outside, { index: 0, limit: 20 });
    expect(listed.map(({ data }) => data.handle)).toEqual([second.ledger, first.ledger]);
    const page = await outside.get('/ledgers?page.limit=1&page.index=1', bearer(key));
    expect(expectList(page, outside, { index: 1, limit: 1 }).map(({ data }) => data.handle)).toEqual([first.ledger]);
    const found = await outside.get(`/ledgers?data.handle=${second.ledger}`, bearer(key));
    expect(found.body.data).toEqual([listed[0]]);
    const none = await outside.get('/ledgers', bearer(newKey()));
    expect(expectList(none, outside, { index: 0, limit: 20 })).toEqual([]);
    const status = await outside.get('/ledgers?data.signer=system', bearer(key));
    expectRefusal(status, outside, 'api.query-malformed', "Unsupported filters: 'data.signer'");
  });

  it('asks for a token', async () => {
    const outside = new TestClient(server.current.url);
    expectRefusal(
      await outside.get('/ledgers'),
      outside,
      'auth.unauthorized',
      'Missing token: send one in the header authorization; a write may be signed instead.',
    );
    const bad = await outside.get('/ledgers', { authorization: 'Bearer x.y.z' });
    expectRefusal(bad, outside, 'auth.unauthorized', 'Invalid token.');
  });

  it.each(['GET', 'POST'])(
    'is not for one ledger: %s with x-ledger is refused, signed by the one named',
    async (method) => {
      const client = await ledger();
      const body = method === 'POST' ? signed({ handle: 'refused', signer: 'system' }, client.key) : undefined;
      const detail =
        'This endpoint is not available on a ledger-scoped URL or with an X-Ledger header. Connect to the base server URL and retry.';
      expectRefusal(await client.call(method, '/ledgers', body), client, 'api.no-tenant-allowed', detail);
      const nowhere = client.in(undefined);
      const unknown = await nowhere.call(method, '/ledgers', body, { 'x-ledger': 'nowhere-at-all' });
      expectRefusal(unknown, nowhere, 'api.route-not-found', 'Server does not host requested ledger');
    },
  );
});

describe('x-ledger (interface/ledgers#choosing-a-ledger)', () => {
  it('names the ledger by handle or luid, and must be there', async () => {
    const client = await ledger();
    const { luid } = (await client.get('/ledger')).body;
    expect((await client.in(luid).get('/ledger')).body.luid).toBe(luid);
    const nowhere = client.in(undefined);
    expectRefusal(await nowhere.get('/wallets'), nowhere, 'api.route-not-found', 'Active ledger is not set!');
    for (const named of ['nowhere-at-all', `${luid.slice(0, -1)}!`, 'x'.repeat(300)]) {
      const answer = await nowhere.call('GET', '/wallets', undefined, { 'x-ledger': named });
      expectRefusal(answer, nowhere, 'api.route-not-found', 'Server does not host requested ledger');
    }
    // Before everything else: whatever the body or token.
    const answer = await nowhere.call('POST', '/wallets', '{', { 'x-ledger': 'nowhere', authorization: 'x' });
    expectRefusal(answer, nowhere, 'api.route-not-found', 'Server does not host requested ledger');
  });
});

describe('a new ledger (interface/ledgers#birth-records)', () => {
  it('has four signers of its own, whose keys differ from any other’s and are never shown', async () => {
    const [client, other] = await Promise.all([ledger(), ledger()]);
    const signers = expectList(await client.get('/signers'), client, { index: 0, limit: 20 });
    expect(signers.map(({ data }) => data.handle)).toEqual(['system', 'core', 'system.auth', 'system.dtc']);
    const { moment } = (await client.get('/ledger')).body.meta;
    for (const { data, hash, luid, meta } of signers) {
      expect(Object.keys(data)).toEqual(['handle', 'access', 'format', 'public', 'secret']);
      expect(data).toMatchObject({ access: [{ action: 'read' }], format: 'ed25519-raw' });
      expect(data.secret).toMatch(/^\{\{ secret\.[a-z]{16} \}\}$/);
      expect(hash).toBe(hashOf(data, native));
      expect(meta).toMatchObject({ status: 'created', owners: [data.public], moment });
      const [own, system] = meta.proofs;
      expect(Object.keys(own ?? {})).toEqual(['custom', 'digest', 'method', 'public', 'result']);
      expect(own).toMatchObject({ public: data.public, custom: { status: 'created' } });
      expect(system).toMatchObject({
        public: systemKeyOf(client),
        signer: 'system',
        custom: { luid, status: 'created' },
      });
      for (const proof of meta.proofs) expect(verifyProof(hash, proof, native)).toBe(true);
    }
    const keys = [...signers, ...(await other.get('/signers')).body.data].map(
      ({ data }: RecordEnvelope) => data.public,
    );
    expect(new Set(keys).size).toBe(8);
    expect(JSON.stringify((await client.get('/signers/system?include=meta.secret')).body)).not.toContain('"secret":{');
    const duplicate = await client.create('/signers', {
      handle: 'core',
      public: newKey().public,
      format: 'ed25519-raw',
    });
    expectRefusal(duplicate, client, 'record.duplicated', 'Signer with handle core already exists.');
  });

  it('has its policies and schemas, signed by it and without status', async () => {
    const client = await ledger();
    const policies = expectList(await client.get('/policies'), client, { index: 0, limit: 20 });
    expect(policies.map(({ data }) => data.handle)).toEqual(['intent:status', 'access-policy:status']);
    const schemas = expectList(await client.get('/schemas'), client, { index: 0, limit: 20 });
    expect(schemas.map(({ data }) => `${data.record} ${data.handle}`)).toEqual([
      ...['status', 'layout', 'access', 'labels', 'schedule', 'processing', 'authentication', 'dtc'].map(
        (one) => `policy ${one}`,
      ),
      'bridge rest',
      ...['oauth-client-credentials', 'key-pair', 'otp', 'totp'].map((one) => `signer-factor ${one}`),
    ]);
    for (const { hash, data, luid, meta } of [...policies, ...schemas]) {
      expect(Object.keys(meta)).toEqual(['proofs', 'moment', 'owners']);
      expect(meta.owners).toEqual([systemKeyOf(client)]);
      expect(hash).toBe(hashOf(data, native));
      const [bare, system] = meta.proofs;
      expect(Object.keys(bare ?? {})).toEqual(['digest', 'method', 'public', 'result']);
      expect(Object.keys(system?.custom ?? {})).toEqual(['luid', 'moment']);
      expect(system?.custom?.luid).toBe(luid);
      for (const proof of meta.proofs) expect(verifyProof(hash, proof, native)).toBe(true);
    }
    const ofSymbols = await client.get('/schemas?data.record=symbol');
    expect(ofSymbols.body.hash).toBe('4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945');
  });
});
