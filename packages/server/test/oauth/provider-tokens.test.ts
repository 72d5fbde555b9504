import { createHmac, generateKeyPairSync } from 'node:crypto';
import { type JsonObject, type RecordEnvelope, verifyProof } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, OPEN, proofOver, signed, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { startServer, withOwnServer } from '../support/server.js';
import {
  bearing,
  encoded,
  type OauthLedger,
  oauthLedger,
  otherRsa,
  policy,
  provided,
  providerFactor,
  rsa,
  signer,
  spki,
  tokenOf,
} from './scene.js';

const server = withOwnServer();
let scene: OauthLedger;
beforeAll(async () => {
  scene = await oauthLedger(server.current.url);
});

/** A token is good on an open ledger when a read with it is answered. */
async function expectGood(client: TestClient, header: Record<string, string>): Promise<void> {
  const answer = await client.get('/signers/system', header);
  expect(answer.status, answer.text).toBe(200);
}

async function expectBad(client: TestClient, header: Record<string, string>): Promise<void> {
  expectRefusal(await client.get('/signers/system', header), client, 'auth.unauthorized', 'Invalid token.');
}

describe('an RS256 token (interface/tokens#provider-tokens)', () => {
  it('of our own or of a provider outside is good', async () => {
    await expectGood(scene.client, await tokenOf(scene.client, scene.credentials));
    await expectGood(scene.client, provided());
    await expectGood(scene.client, provided({ cid: 'whatever', jti: 'used often', aud: ['a', 'b'] }));
    await expectGood(scene.client, provided({ sub: 'nobody here' }));
  });

  it('that is expired, not yet valid, or from the future is not', async () => {
    const now = Math.floor(Date.now() / 1000);
    const times: JsonObject[] = [
      { iat: now - 600, exp: now - 1 },
      { nbf: now + 60 },
      { iat: now + 120, exp: now + 300 },
      { exp: 0 },
    ];
    for (const time of times) await expectBad(scene.client, provided(time));
  });

  it('that another key signed, for another issuer, or without one is not', async () => {
    await expectBad(scene.client, provided({}, {}, otherRsa.privateKey));
    await expectBad(scene.client, provided({ iss: 'app' }));
    await expectBad(scene.client, provided({ iss: 'ghost' }));
    await expectBad(scene.client, provided({ iss: 'prov\u0000' }));
    await expectBad(scene.client, provided({}, { kid: 'ghost' }));
    await expectBad(scene.client, provided({}, { kid: 'app-oauth' }));
    await expectBad(scene.client, provided({}, { kid: 'prov' }));
    const { authorization } = provided();
    const [header, claims, signature] = String(authorization).split('.');
    const altered = JSON.parse(Buffer.from(claims ?? '', 'base64url').toString());
    await expectBad(scene.client, { authorization: `${header}.${encoded({ ...altered, sub: 'prov' })}.${signature}` });
  });

  it('that is signed by the key of a factor that is no key pair is not', async () => {
    const key = { format: 'rsa-der', public: spki(otherRsa.publicKey) };
    for (const schema of ['otp', 'totp', 'key-pair']) {
      await stored(scene.client, 'signer-factor', { handle: `held-${schema}`, signer: 'prov', schema, ...key });
      const token = provided({}, { kid: `held-${schema}` }, otherRsa.privateKey);
      await (schema === 'key-pair' ? expectGood : expectBad)(scene.client, token);
    }
  });

  it('signed with the public key as an HMAC secret, or not signed at all, is not', async () => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: 'prov', sub: 'app', aud: 'test', iat: now, exp: now + 300 };
    const pem = rsa.publicKey.export({ format: 'pem', type: 'spki' });
    for (const alg of ['HS256', 'RS256']) {
      for (const secret of [pem, spki(rsa.publicKey), Buffer.from(spki(rsa.publicKey), 'base64')]) {
        const text = `${encoded({ alg, kid: 'prov-rsa' })}.${encoded(claims)}`;
        const signature = createHmac('sha256', secret).update(text).digest('base64url');
        await expectBad(scene.client, bearing(`${text}.${signature}`));
      }
    }
    const { authorization } = provided();
    const signature = String(authorization).split('.')[2];
    for (const alg of ['none', 'None', 'PS256', 'RS512', 'ES256', 'EdDSA']) {
      const text = `${encoded({ alg, kid: 'prov-rsa' })}.${encoded(claims)}`;
      await expectBad(scene.client, bearing(`${text}.`));
      await expectBad(scene.client, bearing(`${text}.${signature}`));
    }
  });

  it('of one ledger is not good on another, though all there is called the same', async () => {
    const other = await oauthLedger(server.current.url);
    const mine = await tokenOf(scene.client, scene.credentials);
    // The same provider with the same key: RS256 tokens are good where their key is trusted (interface/tokens#claims, aud).
    await expectGood(other.client, mine);
    const third = await newLedger(server.current.url);
    await expectBad(third, mine);
    await signer(third, 'prov');
    await providerFactor(third, { public: spki(otherRsa.publicKey) }, null);
    await policy(third);
    await expectBad(third, mine);
    await expectGood(third, provided({}, {}, otherRsa.privateKey));
    await expectBad(scene.client, provided({}, {}, otherRsa.privateKey));
  });
});

describe('which factor is trusted (interface/tokens#provider-tokens)', () => {
  let client: TestClient;
  beforeAll(async () => {
    client = await newLedger(server.current.url);
    await Promise.all([signer(client, 'prov'), signer(client, 'app')]);
  });

  it('one whose signer an authentication policy names that is not inactive; whether that has a target or not', async () => {
    await providerFactor(client, {}, null);
    await expectBad(client, provided());
    await policy(client, { signer: { handle: 'app' } }, 'other');
    await expectBad(client, provided());
    const named = await policy(client, { target: { schema: 'service' } });
    await expectGood(client, provided());
    await client.prove('/policies/oauth', named, { status: 'inactive' });
    await expectBad(client, provided());
    await client.prove('/policies/oauth', named, { status: 'active' });
    await expectGood(client, provided());
    const current = (await client.get('/policies/oauth')).body;
    ok(await client.drop('/policies/oauth', current));
    await expectBad(client, provided());
    await policy(client);
    await expectGood(client, provided());
  });

  it.each(['inactive', 'blocked'])('no %s one, nor of a signer that is', async (status) => {
    const [factor, prov] = ['/signers/prov/factors/prov-rsa', '/signers/prov'];
    for (const path of [factor, prov]) {
      const record: RecordEnvelope = (await client.get(path)).body;
      await expectGood(client, provided());
      ok(await client.prove(path, record, { status }));
      await expectBad(client, provided());
      ok(await client.prove(path, record, { status: 'active' }));
      await expectGood(client, provided());
    }
  });

  it('no dropped one, and none of another form', async () => {
    const record = (await client.get('/signers/prov/factors/prov-rsa')).body;
    ok(await client.drop('/signers/prov/factors/prov-rsa', record));
    await expectBad(client, provided());
    const forms: JsonObject[] = [
      { schema: 'otp' },
      { schema: 'key-pair', format: 'ed25519-raw', public: newKey().public },
    ];
    for (const [index, form] of forms.entries()) {
      await stored(client, 'signer-factor', { handle: `form-${index}`, signer: 'prov', ...form });
      await expectBad(client, provided({}, { kid: `form-${index}` }));
    }
  });

  it('no key that is not taken: it cannot be stored', async () => {
    const small = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const pair = { handle: 'small', signer: 'prov', schema: 'key-pair', format: 'rsa-der' };
    const path = '/signers/prov/factors';
    const unread = await client.create(path, { ...pair, public: 'AAAA' });
    const why = 'The key pair cannot be used: The public key';
    expectRefusal(unread, client, 'record.invalid', `${why} cannot be read`);
    const short = await client.create(path, { ...pair, public: spki(small.publicKey) });
    expectRefusal(short, client, 'record.invalid', `${why} is not RSA of 2048 to 4096 bits`);
    // What is no key pair may hold any text, and becomes one only with a key that is taken.
    const factor = await stored(client, 'signer-factor', { ...pair, schema: 'otp', public: 'AAAA' });
    const { secret: _, ...data } = factor.data;
    const update = await client.update(`${path}/small`, factor, { ...data, schema: 'key-pair' });
    expectRefusal(update, client, 'record.invalid', `${why} cannot be read`);
    await expectBad(client, provided({}, { kid: 'small' }, small.privateKey));
  });
});

describe('two processes on one database', () => {
  it('what one ends is ended for the next request on the other', async () => {
    const other = await startServer({ database: server.current.database });
    try {
      const { client, credentials } = await oauthLedger(server.current.url);
      const elsewhere = new (client.constructor as typeof TestClient)(other.url, client.key, client.ledger);
      const token = await tokenOf(client, credentials);
      await expectGood(elsewhere, token);
      const record = (await client.get('/policies/oauth')).body;
      ok(await client.prove('/policies/oauth', record, { status: 'inactive' }));
      await expectBad(elsewhere, token);
      ok(await client.prove('/policies/oauth', record, { status: 'active' }));
      await expectGood(elsewhere, token);
      const factor = (await client.get('/signers/prov/factors/prov-rsa')).body;
      ok(await client.drop('/signers/prov/factors/prov-rsa', factor));
      await expectBad(elsewhere, token);
    } finally {
      await other.stop();
    }
  });
});

describe('impersonation (interface/tokens#impersonation)', () => {
  const wallet = (handle: string, more: JsonObject = {}) => ({
    data: { handle },
    meta: { proofs: [{ custom: { status: 'created', ...more } }] },
  });

  it('is the only proof of a write without a signature: claims, issuer, origin', async () => {
    const { client, credentials } = scene;
    const header = await tokenOf(client, credentials);
    const answer = await client.call('POST', '/wallets', wallet('by-token'), header);
    expect(answer.status, answer.text).toBe(201);
    const [proof, system] = answer.body.meta.proofs;
    const members = ['custom', 'digest', 'issuer', 'method', 'origin', 'public', 'result', 'signer'];
    expect(Object.keys(proof)).toEqual(members);
    expect(proof).toMatchObject({ issuer: 'prov', origin: 'oauth2-token', signer: 'app' });
    const claims = ['aud', 'cid', 'exp', 'iat', 'iss', 'sub'].map((claim) => `bearer.${claim}`);
    expect(Object.keys(proof.custom)).toEqual(['moment', 'status', ...claims]);
    expect(proof.custom).toMatchObject({ status: 'created', 'bearer.cid': 'app-oauth', 'bearer.sub': 'app' });
    expect(verifyProof(answer.body.hash, proof, native)).toBe(true);
    const auth = (await client.get('/signers/system.auth')).body.data.public;
    expect([proof.public, answer.body.meta.owners]).toEqual([auth, [auth]]);
    expect(system.signer).toBe('system');
  });

  it('comes after the signatures of the client, on updates too', async () => {
    const { client, credentials } = scene;
    const header = await tokenOf(client, credentials);
    const created = await client.call('POST', '/wallets', signed({ handle: 'both' }, client.key), header);
    const origins = (record: RecordEnvelope) => record.meta.proofs.map(({ origin, signer }) => [origin, signer]);
    const expected = [
      ['key-pair', undefined],
      ['oauth2-token', 'app'],
      ['key-pair', 'system'],
    ];
    expect(origins(created.body)).toEqual(expected);
    const data = { handle: 'both', custom: { a: 1 }, parent: created.body.hash };
    const body = signed(data, client.key, {}, { luid: created.body.luid });
    expect(origins((await client.call('PUT', '/wallets/both', body, header)).body)).toEqual(expected);
  });

  it('lets rules about the signer and about the claims decide', async () => {
    const owner = newKey();
    const access = [
      { action: 'any', record: 'any', signer: { public: owner.public } },
      { action: 'access', bearer: { iss: 'prov' } },
      { action: 'create', record: 'wallet', signer: { handle: 'app' } },
      { action: 'create', record: 'symbol', bearer: { cid: 'app-oauth' } },
      { action: 'read', record: 'wallet', bearer: { $signer: { custom: { tier: 'gold' } } } },
    ];
    const closed = (await newLedger(server.current.url, { key: owner, access })) as TestClient;
    await Promise.all([signer(closed, 'prov'), signer(closed, 'app', { custom: { tier: 'gold' } })]);
    await providerFactor(closed);
    await policy(closed);
    const as = (changes: JsonObject = {}) => provided(changes);
    expect((await closed.call('POST', '/wallets', wallet('w'), as())).status).toBe(201);
    expect((await closed.get('/wallets/w', as())).status).toBe(200);
    const symbol = { ...wallet('s'), data: { handle: 's', factor: 1 } };
    expectRefusal(
      await closed.call('POST', '/symbols', symbol, as()),
      closed,
      'auth.forbidden',
      'Cannot create symbol.',
    );
    expect((await closed.call('POST', '/symbols', symbol, as({ cid: 'app-oauth' }))).status).toBe(201);
    const ghost = await closed.get('/wallets/w', as({ sub: 'ghost' }));
    expectRefusal(ghost, closed, 'auth.forbidden', 'Cannot read wallet.');
    const { client } = await oauthLedger(server.current.url, OPEN as JsonObject[]);
    expect((await client.get('/wallets', as({ sub: 'ghost' }))).status).toBe(200);
  });

  it('of nobody: a write without a signature is 403 whatever the rules (00, Corrections)', async () => {
    const { client } = scene;
    const headers: JsonObject[] = [{ sub: 'ghost' }, { sub: 'not a handle' }, { sub: '' }];
    const record = ok(await client.create('/wallets', { handle: 'target' })).body;
    const before = (await client.get('/wallets/target/changes')).text.length;
    for (const claims of headers) {
      const header = provided(claims);
      const refused = async (method: string, path: string, body: unknown, detail: string) =>
        expectRefusal(await client.call(method, path, body, header), client, 'auth.forbidden', detail);
      await refused('POST', '/wallets', wallet('never'), 'Cannot create wallet.');
      await refused('POST', '/wallets', { data: { handle: 'never' } }, 'Cannot create wallet.');
      const put = { luid: record.luid, data: { handle: 'target', parent: record.hash }, meta: { proofs: [{}] } };
      await refused('PUT', '/wallets/target', put, 'Cannot update wallet.');
      await refused(
        'DELETE',
        '/wallets/target',
        { luid: record.luid, data: { parent: record.hash } },
        'Cannot drop wallet.',
      );
      await refused('POST', '/wallets/target/proofs', { custom: { status: 'x' } }, 'Cannot create wallet-proof.');
      // What it signs itself counts as ever.
      const own = proofOver(record.hash, client.key, { note: 1 });
      expect((await client.call('POST', '/wallets/target/proofs', own, provided(claims))).status).toBe(200);
    }
    expect((await client.get('/wallets/never')).status).toBe(404);
    expect(before).toBeGreaterThan(0);
    expect((await client.get('/wallets/target')).body.meta.proofs).toHaveLength(2 + headers.length);
  });
});
