import { hash as hashOf, type JsonObject, type RecordEnvelope, verifyProof } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { ask, basic, credentialsFor, grant, policy, providerFactor, signer } from '../oauth/scene.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, signed, systemKeyOf, type TestClient, updateOf } from '../support/client.js';
import { stored, withSecret } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withServer();
const ALLOW = { 'signer.factor.oauth.allowClientCredentials': true };
const REFUSED =
  'Providing clientId or clientSecret is not allowed. Leave the fields blank and ledger will generate the credentials instead.Enable the signer.factor.oauth.allowClientCredentials flag to use be able to provide credentials.';
const OAUTH = { handle: 'app-oauth', signer: 'app', schema: 'oauth-client-credentials' };

async function ledgerWithApp(config: JsonObject = {}): Promise<TestClient> {
  const client = await newLedger(server.current.url, { config });
  await signer(client, 'app');
  return client;
}

const create = (client: TestClient, data: JsonObject, secret?: JsonObject, headers?: Record<string, string>) =>
  client.call('POST', '/signers/app/factors', withSecret(signed(data, client.key), secret), headers);

/**
 * What interface/signers#client-credentials says of such a record: the ledger's own data, hash and proof, and nobody's
 * name on it.
 */
function expectGenerated(record: RecordEnvelope, client: TestClient): void {
  expect(Object.keys(record)).toEqual(['hash', 'data', 'luid', 'meta']);
  expect(Object.keys(record.data)).toEqual(['handle', 'schema', 'signer', 'clientId', 'clientSecret']);
  expect(record.data.clientId).toMatch(/^[A-Za-z0-9_-]{22}$/);
  expect(record.data.clientSecret).toBe('{{ secret.clientSecret }}');
  expect(record.hash).toBe(hashOf(record.data, native));
  const { proofs, status, moment, owners } = record.meta;
  expect(proofs).toHaveLength(1);
  const [proof] = proofs;
  expect(Object.keys(proof ?? {})).toEqual(['custom', 'digest', 'method', 'origin', 'public', 'result', 'signer']);
  expect(proof).toMatchObject({ origin: 'key-pair', signer: 'system', public: systemKeyOf(client) });
  expect(proof?.custom).toEqual({ luid: record.luid, moment });
  expect(proof && verifyProof(record.hash, proof, native)).toBe(true);
  expect([owners, status]).toEqual([[], 'created']);
}

describe('oauth-client-credentials (interface/signers#client-credentials)', () => {
  it('are made by the ledger, and the proofs of the client are checked and dropped', async () => {
    const client = await ledgerWithApp();
    const answer = await create(client, OAUTH);
    expect(answer.status, answer.text).toBe(201);
    expectGenerated(answer.body, client);
    expect((await client.get('/signers/app/factors/app-oauth')).text).toBe(answer.text);
    const other = await create(client, { ...OAUTH, handle: 'other' });
    expect(other.body.data.clientId).not.toBe(answer.body.data.clientId);
  });

  it('also when the client signed nothing and leaves that to its token', async () => {
    const client = await ledgerWithApp();
    await stored(client, 'signer', { handle: 'me', public: client.key.public, format: 'ed25519-raw' });
    const body = { data: OAUTH, meta: { proofs: [{ custom: { status: 'created' } }] } };
    const answer = await client.call('POST', '/signers/app/factors', body, bearer(client.key));
    expect(answer.status, answer.text).toBe(201);
    expectGenerated(answer.body, client);
  });

  it('are not made for who signs wrongly, or names another signer in the path', async () => {
    const client = await ledgerWithApp();
    await signer(client, 'other');
    const right = signed(OAUTH, client.key);
    const [proof] = right.meta.proofs;
    const forged = {
      ...right,
      meta: { proofs: [{ ...proof, result: signed({}, client.key).meta.proofs[0]?.result }] },
    };
    const answer = await client.call('POST', '/signers/app/factors', forged);
    expectRefusal(answer, client, 'crypto.signature-invalid', `Invalid signature for key: ${client.key.public}`);
    const elsewhere = await client.call('POST', '/signers/other/factors', right);
    const detail = 'Signer in the request does not match the signer in the data';
    expectRefusal(elsewhere, client, 'record.invalid', detail);
    expect((await client.get('/signers/app/factors')).body.data).toEqual([]);
  });

  it('may not be provided, either or both', async () => {
    const client = await ledgerWithApp();
    const reference = '{{ secret.clientSecret }}';
    const provided: JsonObject[] = [
      { clientId: 'a' },
      { clientSecret: reference },
      { clientId: 'a', clientSecret: reference },
    ];
    for (const given of provided) {
      const answer = await create(client, { ...OAUTH, ...given }, { clientSecret: 'mine' });
      expectRefusal(answer, client, 'record.invalid', REFUSED);
    }
  });

  it('a value sent for the name the ledger uses is not taken', async () => {
    const client = await ledgerWithApp();
    const body = withSecret(signed(OAUTH, client.key), { clientSecret: 'mine', more: 'x' });
    const answer = await client.call('POST', '/signers/app/factors?include=meta.secret', body);
    expect(Object.keys(answer.body.meta.secret)).toEqual(['clientSecret']);
    expect(answer.body.meta.secret.clientSecret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it('sent again are a duplicate: nobody can tell whose credentials they were', async () => {
    const client = await ledgerWithApp();
    const body = signed(OAUTH, client.key);
    expect((await client.call('POST', '/signers/app/factors', body)).status).toBe(201);
    const again = await client.call('POST', '/signers/app/factors', body);
    expectRefusal(again, client, 'record.duplicated', 'Signer Factor with handle app-oauth already exists.');
  });
});

describe('with signer.factor.oauth.allowClientCredentials', () => {
  it("both may be provided; the record is then the client's as any other", async () => {
    const client = await ledgerWithApp(ALLOW);
    const data = { ...OAUTH, clientId: 'my app: é+%', clientSecret: '{{ secret.mine }}' };
    const answer = await create(client, data, { mine: 'päss word' });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.hash).toBe(hashOf(data, native));
    expect(answer.body.meta.owners).toEqual([client.key.public]);
    expect(answer.body.meta.proofs.map((proof: JsonObject) => proof.public)).toEqual([
      client.key.public,
      systemKeyOf(client),
    ]);
    await signer(client, 'prov');
    await providerFactor(client);
    await policy(client);
    const mine = { id: data.clientId, secret: 'päss word' };
    expect((await ask(client, grant(mine))).status).toBe(200);
    expect((await ask(client, { grant_type: 'client_credentials' }, basic(mine.id, mine.secret))).status).toBe(200);
    expect((await ask(client, grant({ ...mine, secret: '{{ secret.mine }}' }))).status).toBe(401);
  });

  it('what is not provided is made', async () => {
    const client = await ledgerWithApp(ALLOW);
    const withId = (await create(client, { ...OAUTH, clientId: 'mine' })).body;
    expect(withId.data).toMatchObject({ clientId: 'mine', clientSecret: '{{ secret.clientSecret }}' });
    const secret = await create(client, { ...OAUTH, handle: 'two', clientSecret: '{{ secret.own }}' }, { own: 's' });
    expect(secret.body.data.clientId).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect([withId.meta.owners, secret.body.meta.owners]).toEqual([[], []]);
    const absent = await create(client, { ...OAUTH, handle: 'three', clientSecret: '{{ secret.own }}' });
    const detail =
      "Record data has a secret reference to new secret 'own' but no secret value was provided in 'meta.secret.own'";
    expectRefusal(absent, client, 'record.invalid', detail);
  });

  it('of two with one client id the older one counts', async () => {
    const client = await ledgerWithApp(ALLOW);
    for (const [handle, value] of Object.entries({ first: 'one', second: 'two' })) {
      await create(client, { ...OAUTH, handle, clientId: 'same', clientSecret: '{{ secret.s }}' }, { s: value });
    }
    // Without a policy: 400 is what a client that is known gets.
    expect((await ask(client, grant({ id: 'same', secret: 'one' }))).status).toBe(400);
    expect((await ask(client, grant({ id: 'same', secret: 'two' }))).status).toBe(401);
  });
});

describe('an update', () => {
  it('keeps credentials that are sent back as they are, and refuses others', async () => {
    const client = await ledgerWithApp();
    const { id, secret, factor } = await credentialsFor(client, 'app');
    const path = '/signers/app/factors/app-oauth';
    const other = await client.update(path, factor, { ...factor.data, clientId: 'other' });
    expectRefusal(other, client, 'record.invalid', REFUSED);
    const kept = await client.update(path, factor, { ...factor.data, custom: { note: 1 } });
    expect(kept.status, kept.text).toBe(200);
    expect((await ask(client, grant({ id, secret }))).status).toBe(400);
    // Left out they are gone, since an update is the whole of the data.
    const without = await client.update(path, kept.body, { ...OAUTH });
    expect(without.status, without.text).toBe(200);
    expect((await ask(client, grant({ id, secret }))).status).toBe(401);
    expect((await ask(client, grant({ id: '', secret: 'x' }))).status).toBe(400);
    expect((await ask(client, { grant_type: 'client_credentials' }, basic('', 'x'))).status).toBe(401);
  });

  it('cannot move a factor to another signer', async () => {
    const client = await ledgerWithApp();
    await signer(client, 'other');
    const factor = await stored(client, 'signer-factor', { handle: 'f', signer: 'app', schema: 'otp' });
    const body = updateOf(factor, { handle: 'f', signer: 'other', schema: 'otp' }, client.key);
    const answer = await client.call('PUT', '/signers/app/factors/f', body);
    const detail = 'Signer in the request does not match the signer in the data';
    expectRefusal(answer, client, 'record.invalid', detail);
  });
});
