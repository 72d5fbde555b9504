import { hash as hashOf, type JsonObject, type RecordEnvelope, verifyProof } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { requestHash } from '../../src/auth/request-hash.js';
import { tokenLimits } from '../../src/auth/token-limits.js';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, proofOver, signed, type TestAnswer, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { bearing, encoded } from './scene.js';

const server = withServer();
const [alice, stranger] = [newKey(), newKey()];
let client: TestClient;
let auth: string;
beforeAll(async () => {
  client = await newLedger(server.current.url);
  await stored(client, 'signer', { handle: 'alice', public: alice.public, format: 'ed25519-raw' });
  auth = (await client.get('/signers/system.auth')).body.data.public;
});

const seconds = () => Math.floor(Date.now() / 1000);
const withToken = (headers: Record<string, string>) => client.get('/signers/system', headers);

function expectBad(answer: TestAnswer, of: TestClient = client): void {
  expectRefusal(answer, of, 'auth.unauthorized', 'Invalid token.');
}

/** A good token of exactly this length: base64url has no text of every length, so both parts are padded. */
function sized(length: number): string {
  for (let inHeader = 0; inHeader < 3; inHeader += 1) {
    const make = (inClaims: number) => {
      const claims = { iss: 'test', aud: 'test', iat: seconds(), exp: seconds() + 300, pad: 'x'.repeat(inClaims) };
      const text = [{ alg: 'EdDSA', kid: alice.public, pad: 'x'.repeat(inHeader) }, claims].map(encoded).join('.');
      return `${text}.${Buffer.from(native.sign(Buffer.from(text), alice.secret)).toString('base64url')}`;
    };
    const missing = Math.floor(((length - make(0).length) * 3) / 4);
    for (const more of [-1, 0, 1]) {
      const token = make(missing + more);
      if (token.length === length) return token;
    }
  }
  throw new Error(`No token of ${length} characters`);
}

describe('a self-signed token (interface/tokens#refused-tokens, interface/tokens#claims)', () => {
  it('is good from a signer and from a key nobody registered', async () => {
    expect((await withToken(bearer(alice))).status).toBe(200);
    expect((await withToken(bearer(stranger))).status).toBe(200);
  });

  it.each([
    ['expired', () => ({ iat: seconds() - 10, exp: seconds() - 1 })],
    ['not yet valid', () => ({ nbf: seconds() + 30 })],
    ['issued in the future', () => ({ iat: seconds() + 90, exp: seconds() + 300 })],
    ['over before it began', () => ({ iat: seconds(), exp: seconds() - 1 })],
    ['of nobody', () => ({ iss: '' })],
    ['for nobody', () => ({ aud: '' })],
    ['single use, for longer than five minutes', () => ({ jti: 'long', exp: seconds() + 301 })],
  ])('is refused when %s', async (_, claims) => expectBad(await withToken(bearer(alice, claims()))));

  it('is refused when forged: other claims, other key, no signature, other algorithm', async () => {
    const token = String(bearer(alice).authorization).slice('Bearer '.length);
    const [header = '', claims = '', signature = ''] = token.split('.');
    const others = JSON.parse(Buffer.from(claims, 'base64url').toString());
    const forged = [
      [header, encoded({ ...others, sub: 'signer:admin' }), signature],
      [encoded({ alg: 'EdDSA', kid: stranger.public }), claims, signature],
      [encoded({ alg: 'EdDSA', kid: 'alice' }), claims, signature],
      [encoded({ alg: 'none', kid: alice.public }), claims, ''],
      [encoded({ alg: 'none', kid: alice.public }), claims, signature],
      [encoded({ alg: 'HS256', kid: alice.public }), claims, signature],
      [encoded({ alg: 'RS256', kid: alice.public }), claims, signature],
      [header, claims, ''],
      [header, claims, signature.slice(0, -2)],
    ];
    for (const parts of forged) expectBad(await withToken(bearing(parts.join('.'))));
    for (const authorization of [
      'Bearer',
      'Bearer ',
      'bearer x',
      'Basic YTpi',
      token,
      `Bearer ${token} x`,
      'Bearer a.b.c',
    ]) {
      expectBad(await withToken({ authorization }));
    }
  });

  it(`is taken with ${tokenLimits.bytes} bytes, and not with one more`, async () => {
    expect((await withToken(bearing(sized(tokenLimits.bytes)))).status).toBe(200);
    expectBad(await withToken(bearing(sized(tokenLimits.bytes + 1))));
  });

  it('with a jti is used once on this ledger, and on no process of it again', async () => {
    const other = await newLedger(server.current.url);
    const token = bearer(alice, { jti: 'once' });
    expect((await withToken(token)).status).toBe(200);
    expectBad(await withToken(token));
    expect((await other.get('/signers/system', token)).status).toBe(200);
    // Another's jti is another one.
    expect((await withToken(bearer(stranger, { jti: 'once' }))).status).toBe(200);
  });
});

describe('a token bound to a request (interface/tokens#request-hash)', () => {
  const bound = (method: string, path: string, body?: JsonObject, names: string[] = []) => {
    const headers = { 'x-ledger': client.ledger };
    const request = { method, url: client.url + path, headers: headers as Record<string, string>, body };
    return bearer(alice, { hsh: requestHash(request, names) });
  };

  it('is good for that request, and for no other', async () => {
    const path = '/signers?data.handle=alice';
    expect((await client.get(path, bound('GET', path))).status).toBe(200);
    expect((await client.get(path, bound('GET', path, undefined, ['x-ledger']))).status).toBe(200);
    expectBad(await client.get('/signers?data.handle=bob', bound('GET', path)));
    expectBad(await client.get('/signers', bound('GET', path)));
    expectBad(await client.get(path, bound('POST', path)));
    expectBad(await client.get(path, bound('GET', path, { a: 1 })));
    const other = await newLedger(server.current.url);
    expect((await other.get(path, bound('GET', path))).status).toBe(200);
    expectBad(await other.get(path, bound('GET', path, undefined, ['x-ledger'])), other);
    expectBad(await client.get(path, bearer(alice, { hsh: 'garbage' })));
    const hsh = requestHash({ method: 'GET', url: client.url + path, headers: {}, body: undefined });
    expectBad(await client.get(path, bearer(alice, { hsh: `${hsh}:x-not-sent` })));
  });

  it('covers the body of a write', async () => {
    const body = signed({ handle: 'bound' }, client.key);
    const altered = signed({ handle: 'bound', custom: {} }, client.key);
    expectBad(await client.call('POST', '/wallets', altered, bound('POST', '/wallets', body as unknown as JsonObject)));
    const answer = await client.call(
      'POST',
      '/wallets',
      body,
      bound('POST', '/wallets', body as unknown as JsonObject),
    );
    expect(answer.status, answer.text).toBe(201);
  });
});

describe('writes that are left to a token (interface/tokens#impersonation)', () => {
  const partial = { custom: { status: 'created' } };

  function expectImpersonation(record: RecordEnvelope, over: string, at: number, status?: string): void {
    const proof = record.meta.proofs.at(at);
    expect(proof).toMatchObject({ origin: 'self-signed-token', signer: 'alice', public: auth });
    const claims = ['aud', 'exp', 'iat', 'iss', 'sub'].map((claim) => `bearer.${claim}`);
    expect(Object.keys(proof?.custom ?? {})).toEqual(['moment', ...(status ? ['status'] : []), ...claims]);
    expect(proof?.custom?.status).toBe(status);
    expect(proof && verifyProof(over, proof, native)).toBe(true);
  }

  it('create, update, proof and drop, with or without a hash, from the signer alone', async () => {
    const created = await client.call(
      'POST',
      '/wallets',
      { data: { handle: 'w' }, meta: { proofs: [partial] } },
      bearer(alice),
    );
    expect(created.status, created.text).toBe(201);
    expect([created.body.meta.owners, created.body.meta.proofs.length]).toEqual([[auth], 2]);
    expectImpersonation(created.body, created.body.hash, 0, 'created');

    const data = { handle: 'w', custom: { a: 1 }, parent: created.body.hash };
    const put = { hash: hashOf(data, native), luid: created.body.luid, data };
    const updated = await client.call('PUT', '/wallets/w', put, bearer(alice));
    expect(updated.status, updated.text).toBe(200);
    expect([updated.body.meta.owners, updated.body.meta.proofs.length]).toEqual([[auth], 2]);
    expectImpersonation(updated.body, updated.body.hash, 0);

    const proved = await client.call('POST', '/wallets/w/proofs', { custom: { status: 'active' } }, bearer(alice));
    expect([proved.status, proved.body.meta.status]).toEqual([200, 'active']);
    expect(proved.body.meta.proofs.at(-1)).toMatchObject({
      origin: 'self-signed-token',
      signer: 'alice',
      public: auth,
    });

    const drop = {
      luid: created.body.luid,
      data: { parent: updated.body.hash },
      meta: { proofs: [{ custom: { reason: 'x' } }] },
    };
    expect((await client.call('DELETE', '/wallets/w', drop, bearer(alice))).status).toBe(204);
    const [last] = (await client.get(`/wallets/${created.body.luid}/changes`)).body.data;
    expectImpersonation(last, hashOf(drop.data, native), -2);
  });

  it("beside signatures: those first, then the token's, then the ledger's; all of their keys own the record", async () => {
    const body = signed({ handle: 'beside' }, stranger);
    const answer = await client.call('POST', '/wallets', body, bearer(alice));
    const proofs = answer.body.meta.proofs.map(({ origin, signer, public: key }: JsonObject) => [origin, signer, key]);
    expect(proofs.slice(0, 2)).toEqual([
      ['key-pair', undefined, stranger.public],
      ['self-signed-token', 'alice', auth],
    ]);
    expect(proofs.map(([, signer]: string[]) => signer)).toEqual([undefined, 'alice', 'system']);
    expect(answer.body.meta.owners).toEqual([stranger.public, auth]);
    expectImpersonation(answer.body, answer.body.hash, 1, 'created');
    // A proof that is signed is not accompanied (interface/tokens#impersonation).
    const proof = proofOver(answer.body.hash, stranger, { note: 1 });
    const proved = await client.call('POST', '/wallets/beside/proofs', proof, bearer(alice));
    expect(proved.body.meta.proofs).toHaveLength(4);
  });

  it('name the issuer where a signer has the key or handle of iss', async () => {
    const issuerFor = async (iss: string, handle: string) => {
      const body = { data: { handle }, meta: { proofs: [partial] } };
      return (await client.call('POST', '/wallets', body, bearer(alice, { iss }))).body.meta.proofs[0].issuer;
    };
    expect(await issuerFor('cli', 'i-1')).toBeUndefined();
    expect(await issuerFor('alice', 'i-2')).toBe('alice');
    expect(await issuerFor(alice.public, 'i-3')).toBe('alice');
  });

  it('cannot say themselves who signed, issued, or what the token said', async () => {
    const lies = { signer: 'system', issuer: 'system', origin: 'oauth2-token' };
    const custom = {
      status: 'created',
      moment: '1999-01-01T00:00:00.000Z',
      'bearer.sub': 'admin',
      'bearer.roles': 'root',
    };
    const body = { data: { handle: 'lies' }, meta: { proofs: [{ ...lies, custom }], owners: ['x'] } };
    const answer = await client.call('POST', '/wallets', body, bearer(alice));
    expect(answer.status, answer.text).toBe(201);
    expectImpersonation(answer.body, answer.body.hash, 0, 'created');
    expect(answer.body.meta.proofs[0].custom).toMatchObject({ 'bearer.sub': 'signer:test' });
    expect(answer.body.meta.proofs[0].issuer).toBeUndefined();
    const proof = { ...lies, custom: { 'bearer.sub': 'admin', note: 1 } };
    const proved = await client.call('POST', '/wallets/lies/proofs', proof, bearer(alice));
    const last = proved.body.meta.proofs.at(-1);
    expect(last).toMatchObject({ signer: 'alice', origin: 'self-signed-token' });
    expect([last.issuer, last.custom['bearer.sub'], last.custom.note]).toEqual([undefined, 'signer:test', 1]);
  });

  it('of a key nobody registered are not signed at all', async () => {
    const missing = (answer: TestAnswer) =>
      expectRefusal(answer, client, 'crypto.signature-missing', 'Ledger mutations must be signed.');
    const record = ok(await client.create('/wallets', { handle: 'unsigned' })).body;
    const [put, drop] = [{ handle: 'unsigned', parent: record.hash }, { parent: record.hash }];
    missing(
      await client.call('POST', '/wallets', { data: { handle: 'x' }, meta: { proofs: [partial] } }, bearer(stranger)),
    );
    missing(await client.call('POST', '/wallets', { data: { handle: 'x' } }, bearer(stranger)));
    missing(await client.call('PUT', '/wallets/unsigned', { luid: record.luid, data: put }, bearer(stranger)));
    missing(await client.call('POST', '/wallets/unsigned/proofs', partial, bearer(stranger)));
    missing(await client.call('DELETE', '/wallets/unsigned', { luid: record.luid, data: drop }, bearer(stranger)));
    const hash = hashOf({ handle: 'x' }, native);
    missing(await client.call('POST', '/wallets', { hash, data: { handle: 'x' }, meta: { proofs: [partial] } }));
    expect((await client.get('/wallets/unsigned')).text).toBe(JSON.stringify(record));
  });
});

describe('proofs that were not made for this (interface/errors)', () => {
  it('one lifted from another record, or from another version of this one', async () => {
    const one = ok(await client.create('/wallets', { handle: 'one' })).body;
    const two = ok(await client.create('/wallets', { handle: 'two' })).body;
    const [lifted] = one.meta.proofs;
    const invalid = `Invalid signature for key: ${lifted.public}`;
    const refused = (answer: TestAnswer) => expectRefusal(answer, client, 'crypto.signature-invalid', invalid);
    refused(await client.call('POST', '/wallets/two/proofs', lifted));
    const data = { handle: 'two', custom: { a: 1 }, parent: two.hash };
    const hash = hashOf(data, native);
    refused(await client.call('PUT', '/wallets/two', { hash, luid: two.luid, data, meta: { proofs: [lifted] } }));
    const updated = ok(await client.update('/wallets/two', two, { handle: 'two', custom: { b: 1 } })).body;
    refused(await client.call('POST', '/wallets/two/proofs', two.meta.proofs[0]));
    expect((await client.get('/wallets/two')).text).toBe(JSON.stringify(updated));
  });

  it('one whose custom was altered, or taken away, or whose digest is of something else', async () => {
    const record = ok(await client.create('/wallets', { handle: 'three' })).body;
    const proof = proofOver(record.hash, client.key, { status: 'inactive' });
    const { custom, ...bare } = proof;
    const altered = [
      { ...proof, custom: { ...custom, status: 'active' } },
      { ...proof, custom: { ...custom, more: 1 } },
      bare,
      { ...proof, digest: hashOf({ other: 1 }, native) },
      { ...proof, public: stranger.public },
    ];
    for (const one of altered) {
      const answer = await client.call('POST', '/wallets/three/proofs', one);
      const detail = `Invalid signature for key: ${one.public}`;
      expectRefusal(answer, client, 'crypto.signature-invalid', detail);
    }
    expect((await client.get('/wallets/three')).text).toBe(JSON.stringify(record));
  });

  it("one by the ledger itself, sent again as the client's", async () => {
    const record = ok(await client.create('/wallets', { handle: 'four' })).body;
    const system = record.meta.proofs.at(-1);
    const body = { hash: record.hash, data: record.data, meta: { proofs: [{ ...system, signer: 'system' }] } };
    const answer = await client.call('POST', '/wallets', { ...body, data: { handle: 'five' } });
    expect(answer.body.data.reason).toBe('crypto.hash-invalid');
    const other = { handle: 'five' };
    const lifted = await client.call('POST', '/wallets', { ...body, data: other, hash: hashOf(other, native) });
    expect(lifted.body.data.reason).toBe('crypto.signature-invalid');
  });
});
