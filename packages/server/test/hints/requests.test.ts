import { canonical, digest, encodeBase64, hash as hashOf, type Json, type JsonObject } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { newKey, newLedger, proofOver, signed, type TestClient, updateOf } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withServer();
let client: TestClient;
beforeAll(async () => {
  client = await newLedger(server.current.url);
});

const DATA: JsonObject = { handle: 'shop', custom: { tier: 'silver', count: 7, none: null, code: '12' } };

/** The answer to a create with a hash of one's own; the proof is over that hash. */
async function hinted(text: string, data: JsonObject = DATA): Promise<unknown> {
  const hash = native.sha256(text);
  const answer = await client.call('POST', '/wallets', { hash, data, meta: { proofs: [proofOver(hash, client.key)] } });
  expect(answer.body.data).toMatchObject({ reason: 'crypto.hash-invalid', detail: `Invalid record hash: ${hash}` });
  return answer.body.data.custom?.hint;
}

describe('a hash', () => {
  const custom = DATA.custom as JsonObject;
  const rows: [string, string, RegExp][] = [
    ['with a newline', `${canonical(DATA)}\n`, /a newline/],
    ['in the order as sent', JSON.stringify(DATA), /the order in which they were sent/],
    ['indented', JSON.stringify(DATA, null, 2), /with spaces/],
    [
      'with spaces, and sorted',
      '{"custom": {"code": "12", "count": 7, "none": null, "tier": "silver"}, "handle": "shop"}',
      /with spaces/,
    ],
    ['of the body', canonical({ data: DATA }), /Hash the value of `data` alone/],
    [
      'without null members',
      canonical({ ...DATA, custom: { tier: 'silver', count: 7, code: '12' } }),
      /without its null members/,
    ],
    [
      'with a member that was undefined',
      canonical({ ...DATA, access: null }),
      /counts a member `access` that `data` lacks/,
    ],
    [
      'with the word undefined',
      canonical({ ...DATA, schema: null }).replace('"schema":null', '"schema":undefined'),
      /counts a member `schema`/,
    ],
    ['with numbers as text', canonical({ ...DATA, custom: { ...custom, count: '7' } }), /numbers written as text/],
    ['with text as numbers', canonical({ ...DATA, custom: { ...custom, code: 12 } }), /`data` has them as text/],
  ];
  it.each(rows)('%s is told so', async (_, text, hint) => {
    expect(await hinted(text)).toMatch(hint);
  });

  it('of something else gets no hint, nor does large data', async () => {
    expect(await hinted('anything')).toBeUndefined();
    const data = (length: number) => ({ handle: 'shop', custom: { text: 'x'.repeat(length) } });
    const room = 16_384 - canonical(data(0)).length;
    expect(await hinted(`${canonical(data(room))}\n`, data(room))).toMatch(/a newline/);
    expect(await hinted(`${canonical(data(room + 1))}\n`, data(room + 1))).toBeUndefined();
  });
});

describe('a proof', () => {
  const custom = { moment: '2026-01-01T00:00:00.000Z', a: 1 };
  const hash = hashOf(DATA, native);
  const sign = (
    digestText: string,
    bytes: Uint8Array = Buffer.from(digestText, 'hex'),
    said: JsonObject | undefined = custom,
  ) => ({
    method: 'ed25519-v2',
    public: client.key.public,
    digest: digestText,
    result: encodeBase64(native.sign(bytes, client.key.secret)),
    ...(said ? { custom: said } : {}),
  });
  const right = () => digest(hash, custom, native);
  const rows: [string, () => ReturnType<typeof sign>, RegExp | undefined][] = [
    ['over the text of the digest', () => sign(right(), Buffer.from(right())), /Sign its 32 bytes/],
    ['over the hash', () => sign(right(), Buffer.from(hash, 'hex')), /The signature is over the hash/],
    ['whose digest is the hash', () => sign(hash), /The digest is the hash itself/],
    ['whose digest leaves out custom', () => sign(native.sha256(hash)), /leaves out `custom`/],
    ['whose digest counts a newline', () => sign(native.sha256(`${hash}${canonical(custom)}\n`)), /counts a newline/],
    ['whose custom is not canonical', () => sign(native.sha256(hash + JSON.stringify(custom))), /sorts the members/],
    ['over another record', () => sign(digest('0'.repeat(64), custom, native)), /over another record or version/],
    ['of another key', () => ({ ...sign(right()), public: newKey().public }), undefined],
  ];
  it.each(rows)('%s is told so', async (_, proof, hint) => {
    const sent = { hash, data: DATA, meta: { proofs: [proof()] } };
    const { data } = (await client.call('POST', '/wallets', sent)).body;
    expect(data).toMatchObject({ reason: 'crypto.signature-invalid' });
    if (hint) expect(data.custom.hint).toMatch(hint);
    else expect(data.custom).toBeUndefined();
  });

  it('over an older version is told so', async () => {
    const first = await stored(client, 'wallet', { handle: 'proved' });
    ok(await client.update('/wallets/proved', first, { handle: 'proved', custom: { a: 1 } }));
    const { data } = (await client.prove('/wallets/proved', first, { status: 'active' })).body;
    expect(data.custom.hint).toMatch(/over another record or version/);
    expect(data.custom.hint).not.toMatch(/[0-9a-f]{64}/);
  });
});

describe('a parent', () => {
  it('that is old, a luid or missing is told so, and never the current hash', async () => {
    const first = await stored(client, 'wallet', { handle: 'twice' });
    const second = ok(await client.update('/wallets/twice', first, { handle: 'twice', custom: { a: 1 } })).body;
    const put = async (body: Json) => (await client.call('PUT', '/wallets/twice', body)).body.data;
    const old = await put(updateOf(first, { handle: 'twice', custom: { a: 2 } }, client.key) as unknown as Json);
    expect(old).toMatchObject({ reason: 'crypto.parent-hash-invalid' });
    expect(old.custom.hint).toMatch(/not the hash of the current version/);
    expect(JSON.stringify(old)).not.toContain(second.hash);
    const missing = await put(signed({ handle: 'twice', custom: { a: 2 } }, client.key, {}) as unknown as Json);
    expect(missing.custom.hint ?? missing.detail).toMatch(/parent/);
    const dropped = await client.drop('/wallets/twice', first);
    expect(dropped.body.data.custom.hint).toMatch(/not the hash of the current version/);
  });
});

describe('a ledger', () => {
  it('that is not named is told how to name it', async () => {
    const { data } = (await client.in(undefined).get('/wallets')).body;
    expect(data).toEqual({
      reason: 'api.route-not-found',
      detail: 'Active ledger is not set!',
      custom: { hint: 'Send the header x-ledger with the handle or luid of the ledger.' },
    });
  });
});

describe('a token', () => {
  const now = () => Math.floor(Date.now() / 1000);
  const rows: [string, () => JsonObject, RegExp][] = [
    ['that has expired', () => ({ iat: now() - 20, exp: now() - 10 }), /`exp` is in the past/],
    ['from the future', () => ({ iat: now() + 90, exp: now() + 300 }), /`iat` is more than 60 seconds ahead/],
    ['that is not valid yet', () => ({ nbf: now() + 60 }), /`nbf` is in the future/],
    ['with `jti` that lives too long', () => ({ jti: 'a', exp: now() + 900 }), /300 seconds at most/],
    ['bound to another request', () => ({ hsh: '0'.repeat(64) }), /`hsh` is the hash of another request/],
  ];
  it.each(rows)('%s is told so', async (_, claims, hint) => {
    const { status, body } = await client.get('/wallets', bearer(client.key, claims()));
    expect([status, body.data.detail]).toEqual([401, 'Invalid token.']);
    expect(body.data.custom.hint).toMatch(hint);
  });

  it('used twice is told so', async () => {
    const once = bearer(client.key, { jti: 'once' });
    expect((await client.get('/wallets', once)).status).toBe(200);
    expect((await client.get('/wallets', once)).body.data.custom.hint).toMatch(/was used already/);
  });

  it('tells nothing of who is known: a signer that is there, and one that is not', async () => {
    await stored(client, 'signer', { handle: 'ada', public: newKey().public, format: 'ed25519-raw' });
    for (const kid of ['ada', 'ghost']) {
      const [, claims = '', signature = ''] = (bearer(client.key).authorization ?? '').split('.');
      const head = Buffer.from(JSON.stringify({ alg: 'EdDSA', kid })).toString('base64url');
      const { body } = await client.get('/wallets', { authorization: `Bearer ${head}.${claims}.${signature}` });
      expect(body.data, kid).toEqual({ reason: 'auth.unauthorized', detail: 'Invalid token.' });
    }
  });
});
