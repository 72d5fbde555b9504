import { generateKeyPairSync } from 'node:crypto';
import { encodeBase64, type Json, type JsonObject } from '@countersign/protocol';
import { describe, expect, test } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { requestHash } from '../../src/auth/request-hash.js';
import { handleLimits } from '../../src/base/handle.js';
import { MemoryReplays } from './memory-replays.js';
import {
  claims,
  encode,
  hmac,
  Keys,
  NOW,
  provided,
  publicKey,
  REFUSED,
  request,
  rsa,
  rsaPublic,
  selfSigned,
  spki,
  verify,
} from './tokens.js';

describe('self-signed', () => {
  test('by key: no record is looked up', async () => {
    const keys = new Keys();
    const token = await verify(selfSigned(), { keys });
    expect(token).toEqual({ kind: 'self-signed-token', key: publicKey, claims: claims() });
    expect(keys.asked).toEqual([]);
  });

  test('by handle: the key is that of the signer record', async () => {
    const keys = new Keys();
    const token = await verify(selfSigned(claims(), { alg: 'EdDSA', kid: 'admin' }), { keys });
    expect(token.key).toBe(publicKey);
    expect(keys.asked).toEqual(['signer admin']);
  });

  test('44 characters that are no key are a handle', async () => {
    const handle = 'a'.repeat(44);
    const keys = new Keys('acme', { [handle]: publicKey });
    expect((await verify(selfSigned(claims(), { alg: 'EdDSA', kid: handle }), { keys })).key).toBe(publicKey);
  });

  test('unknown, foreign and unusable kids', async () => {
    const keys = new Keys('acme', {
      admin: publicKey,
      rsa: rsaPublic,
      other: Buffer.alloc(32, 9).toString('base64'),
      odd: 'x',
    });
    for (const kid of ['ghost', 'rsa', 'other', 'odd', 'idp-key', '__proto__', '']) {
      await expect(verify(selfSigned(claims(), { alg: 'EdDSA', kid }), { keys })).rejects.toMatchObject(REFUSED);
    }
    expect(keys.asked).toEqual([
      'signer ghost',
      'signer rsa',
      'signer other',
      'signer odd',
      'signer idp-key',
      'signer __proto__',
    ]);
  });

  test('a token that was verified is one of the key that made it, whoever the handle stands for by then', async () => {
    const token = selfSigned(claims({ sub: 'remembered' }), { alg: 'EdDSA', kid: 'admin' });
    const other = encodeBase64(native.publicKey(new Uint8Array(32).fill(9)));
    // The same handle in two ledgers, and in one whose signer takes a new key.
    const [mine, theirs] = [new Keys('acme'), new Keys('other', { admin: other })];
    for (let times = 0; times < 2; times += 1) {
      expect((await verify(token, { keys: mine })).key).toBe(publicKey);
      await expect(verify(token, { keys: theirs })).rejects.toMatchObject(REFUSED);
    }
    mine.signers.admin = other;
    await expect(verify(token, { keys: mine })).rejects.toMatchObject(REFUSED);
    delete mine.signers.admin;
    await expect(verify(token, { keys: mine })).rejects.toMatchObject(REFUSED);
    mine.signers.admin = publicKey;
    expect((await verify(token, { keys: mine })).key).toBe(publicKey);
  });

  test('what is no handle is not looked up', async () => {
    const keys = new Keys();
    const lastBit = `${publicKey.slice(0, 42)}${publicKey[42] === 'x' ? 'y' : 'x'}=`;
    const unpadded = publicKey.slice(0, 43).replaceAll(/[+/]/g, '*');
    for (const kid of [
      'a b',
      "a'--",
      'é',
      'a@b@',
      '..',
      lastBit,
      `${unpadded}*`,
      'a'.repeat(handleLimits.characters + 1),
    ]) {
      await expect(verify(selfSigned(claims(), { alg: 'EdDSA', kid }), { keys })).rejects.toMatchObject(REFUSED);
    }
    expect(keys.asked).toEqual([]);
    const longest = 'a'.repeat(handleLimits.characters);
    await expect(verify(selfSigned(claims(), { alg: 'EdDSA', kid: longest }), { keys })).rejects.toMatchObject(REFUSED);
    expect(keys.asked).toEqual([`signer ${longest}`]);
  });

  test('a changed header, claim or signature', async () => {
    const [header, payload, signature] = selfSigned().split('.') as [string, string, string];
    const other = Buffer.from(signature, 'base64url');
    other[3]! ^= 1;
    for (const token of [
      `${encode({ alg: 'EdDSA', kid: publicKey, typ: 'JWT' })}.${payload}.${signature}`,
      `${header}.${encode(claims({ sub: 'root' }))}.${signature}`,
      `${header}.${payload}.${other.toString('base64url')}`,
      `${header}.${payload}.${signature.slice(0, -4)}`,
      `${header}.${payload}.`,
    ]) {
      await expect(verify(token)).rejects.toMatchObject(REFUSED);
    }
  });
});

describe('RS256', () => {
  test('is verified with the factor that kid names', async () => {
    const keys = new Keys();
    const payload = claims({ iss: 'idp', cid: 'app', sub: 'nobody' });
    const token = await verify(provided(payload), { keys });
    expect(token).toEqual({ kind: 'oauth2-token', claims: payload, factor: 'idp-key' });
    expect(keys.asked).toEqual(['factor idp-key']);
  });

  test('iss is the signer of the factor', async () => {
    await expect(verify(provided(claims({ iss: 'admin' })))).rejects.toMatchObject(REFUSED);
  });

  test('unknown factor, other key, raw key as kid', async () => {
    for (const kid of ['ghost', 'admin', publicKey, rsaPublic]) {
      const token = provided(claims({ iss: 'idp' }), { alg: 'RS256', kid });
      await expect(verify(token)).rejects.toMatchObject(REFUSED);
    }
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    await expect(verify(provided(claims({ iss: 'idp' }), undefined, other))).rejects.toMatchObject(REFUSED);
  });

  test('factors without an RSA key of a fit size', async () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 2040 });
    const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
    const unfit = [spki(weak.publicKey), spki(curve), publicKey, '', 'x', `${rsaPublic}${'A'.repeat(4096)}`];
    for (const text of unfit) {
      const keys = new Keys('acme', {}, { 'idp-key': { public: text, signer: 'idp' } });
      await expect(verify(provided(undefined, undefined, weak.privateKey), { keys })).rejects.toMatchObject(REFUSED);
      await expect(verify(provided(), { keys })).rejects.toMatchObject(REFUSED);
    }
  });

  test('a factor whose key was replaced is verified with the new one', async () => {
    const next = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const keys = new Keys();
    await verify(provided(), { keys });
    keys.factors['idp-key'] = { public: spki(next.publicKey), signer: 'idp' };
    await expect(verify(provided(), { keys })).rejects.toMatchObject(REFUSED);
    await verify(provided(undefined, undefined, next.privateKey), { keys });
  });

  test('aud may be a list, and jti is no single use', async () => {
    const payload = claims({ iss: 'idp', aud: ['acme', 'other'], jti: 'a' });
    const replays = new MemoryReplays(() => NOW * 1000, { ledger: 100 });
    await verify(provided(payload), { replays });
    await verify(provided(payload), { replays });
    for (const aud of [[], [''], [1]] as Json[]) {
      await expect(verify(provided(claims({ iss: 'idp', aud })))).rejects.toMatchObject(REFUSED);
    }
  });

  test('claims and hsh are checked as on any token', async () => {
    await expect(verify(provided(claims({ iss: 'idp', exp: NOW })))).rejects.toMatchObject(REFUSED);
    await verify(provided(claims({ iss: 'idp', hsh: requestHash(request) })));
    const put = { ...request, method: 'PUT' };
    await expect(
      verify(provided(claims({ iss: 'idp', hsh: requestHash(request) })), { request: put }),
    ).rejects.toMatchObject(REFUSED);
  });
});

describe('algorithms', () => {
  const pem = rsa.publicKey.export({ format: 'pem', type: 'spki' });

  test.each<[string, string]>([
    ['none', `${encode({ alg: 'none', kid: 'admin' })}.${encode(claims())}.`],
    ['None', `${encode({ alg: 'None', kid: publicKey })}.${encode(claims())}.`],
    ['missing', selfSigned(claims(), { kid: publicKey })],
    ['not text', selfSigned(claims(), { alg: ['EdDSA'], kid: publicKey })],
    ['other case', selfSigned(claims(), { alg: 'eddsa', kid: publicKey })],
    ['Ed25519', selfSigned(claims(), { alg: 'Ed25519', kid: publicKey })],
    ['ES256', selfSigned(claims(), { alg: 'ES256', kid: publicKey })],
    ['RS512', provided(claims({ iss: 'idp' }), { alg: 'RS512', kid: 'idp-key' })],
    ['PS256', provided(claims({ iss: 'idp' }), { alg: 'PS256', kid: 'idp-key' })],
    ['HS256 with the raw key', hmac({ alg: 'HS256', kid: publicKey }, claims(), Buffer.from(publicKey, 'base64'))],
    ['HS256 with the text of the key', hmac({ alg: 'HS256', kid: publicKey }, claims(), publicKey)],
    ['HS256 with the PEM of a factor', hmac({ alg: 'HS256', kid: 'idp-key' }, claims({ iss: 'idp' }), pem)],
    [
      'HS256 with the DER of a factor',
      hmac({ alg: 'HS256', kid: 'idp-key' }, claims(), Buffer.from(rsaPublic, 'base64')),
    ],
  ])('%s is refused and no key is looked up', async (_, token) => {
    const keys = new Keys();
    await expect(verify(token, { keys })).rejects.toMatchObject(REFUSED);
    expect(keys.asked).toEqual([]);
  });

  test('the signature of one algorithm does not pass as another', async () => {
    const header = { alg: 'EdDSA', kid: 'idp-key' };
    await expect(verify(provided(claims({ iss: 'idp' }), header))).rejects.toMatchObject(REFUSED);
    await expect(verify(hmac({ alg: 'RS256', kid: 'idp-key' }, claims({ iss: 'idp' }), pem))).rejects.toMatchObject(
      REFUSED,
    );
    await expect(verify(selfSigned(claims({ iss: 'idp' }), { alg: 'RS256', kid: 'admin' }))).rejects.toMatchObject(
      REFUSED,
    );
  });

  test('keys that the token brings along are not used', async () => {
    const jwk = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const header = { alg: 'RS256', kid: 'idp-key', jwk: jwk.publicKey.export({ format: 'jwk' }) as JsonObject };
    await expect(verify(provided(claims({ iss: 'idp' }), header, jwk.privateKey))).rejects.toMatchObject(REFUSED);
  });
});

describe('claims', () => {
  test.each<[string, Record<string, Json | undefined>]>([
    ['no iss', { iss: undefined }],
    ['empty iss', { iss: '' }],
    ['iss not text', { iss: 1 }],
    ['no aud', { aud: undefined }],
    ['empty aud', { aud: '' }],
    ['aud list', { aud: ['acme'] }],
    ['no iat', { iat: undefined }],
    ['iat zero', { iat: 0 }],
    ['iat negative', { iat: -1 }],
    ['iat text', { iat: String(NOW) }],
    ['no exp', { exp: undefined }],
    ['exp zero', { exp: 0 }],
    ['exp null', { exp: null }],
    ['exp before iat', { iat: NOW + 30, exp: NOW + 29 }],
    ['expired now', { iat: NOW - 10, exp: NOW }],
    ['expired', { iat: NOW - 10, exp: NOW - 1 }],
    ['iat 61 s ahead', { iat: NOW + 61 }],
    ['nbf ahead', { nbf: NOW + 1 }],
    ['nbf not a number', { nbf: 'x' }],
    ['nbf null', { nbf: null }],
    ['sub not text', { sub: 1 }],
    ['sub null', { sub: null }],
    ['jti not text', { jti: 1, exp: NOW + 60 }],
    ['hsh not text', { hsh: 1 }],
    ['hsh null', { hsh: null }],
  ])('%s is refused', async (_, changes) => {
    await expect(verify(selfSigned(claims(changes)))).rejects.toMatchObject(REFUSED);
  });

  test.each<[string, Record<string, Json | undefined>]>([
    ['no sub', { sub: undefined }],
    ['exp a second away', { iat: NOW - 10, exp: NOW + 1 }],
    ['exp at iat', { iat: NOW + 30, exp: NOW + 30 }],
    ['iat 60 s ahead', { iat: NOW + 60 }],
    ['fractions of seconds', { iat: NOW - 0.5, exp: NOW + 0.5 }],
    ['nbf now', { nbf: NOW }],
    ['empty hsh', { hsh: '' }],
    ['empty jti, long life', { jti: '' }],
    ['unknown claims', { scope: 'a b', roles: ['x', { y: null }] }],
  ])('%s is accepted', async (_, changes) => {
    expect((await verify(selfSigned(claims(changes)))).claims).toEqual(claims(changes));
  });

  test('a token stops counting at exp to the millisecond', async () => {
    const token = selfSigned(claims({ exp: NOW + 5 }));
    await verify(token, { now: (NOW + 5) * 1000 - 1 });
    await expect(verify(token, { now: (NOW + 5) * 1000 })).rejects.toMatchObject(REFUSED);
  });
});

describe('single use', () => {
  const payload = claims({ jti: 'once', exp: NOW + 300 });
  const fresh = () => new MemoryReplays(() => NOW * 1000, { ledger: 100 });

  test('a used jti is refused, also in another token', async () => {
    const replays = fresh();
    await verify(selfSigned(payload), { replays });
    await expect(verify(selfSigned(payload), { replays })).rejects.toMatchObject(REFUSED);
    const other = selfSigned(claims({ jti: 'once', exp: NOW + 60, sub: 'else' }));
    await expect(verify(other, { replays })).rejects.toMatchObject(REFUSED);
    await verify(selfSigned(claims({ jti: 'twice', exp: NOW + 60 })), { replays });
  });

  test('it is the same jti whichever way kid names the key', async () => {
    const replays = fresh();
    await verify(selfSigned(payload), { replays });
    const byHandle = selfSigned(payload, { alg: 'EdDSA', kid: 'admin' });
    await expect(verify(byHandle, { replays })).rejects.toMatchObject(REFUSED);
  });

  test('each key has its own: nobody uses up what another is about to send', async () => {
    const replays = fresh();
    const other = { seed: new Uint8Array(32).fill(8), kid: '' };
    other.kid = encodeBase64(native.publicKey(other.seed));
    const signed = `${encode({ alg: 'EdDSA', kid: other.kid })}.${encode(payload)}`;
    const signature = Buffer.from(native.sign(Buffer.from(signed), other.seed)).toString('base64url');
    expect((await verify(`${signed}.${signature}`, { replays })).key).toBe(other.kid);
    await verify(selfSigned(payload), { replays });
    await expect(verify(`${signed}.${signature}`, { replays })).rejects.toMatchObject(REFUSED);
  });

  test('of many at once exactly one passes', async () => {
    const replays = fresh();
    const token = selfSigned(payload, { alg: 'EdDSA', kid: 'admin' });
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => verify(token, { replays })));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });

  test('another ledger has its own', async () => {
    const replays = fresh();
    await verify(selfSigned(payload), { replays });
    await verify(selfSigned(payload), { replays, keys: new Keys('other') });
  });

  test('a token that is refused for anything else uses nothing up', async () => {
    const replays = fresh();
    const bound = selfSigned({ ...payload, hsh: requestHash(request) });
    const forged = `${bound.slice(0, bound.lastIndexOf('.') + 1)}${'A'.repeat(86)}`;
    await expect(verify(forged, { replays })).rejects.toMatchObject(REFUSED);
    await expect(verify(bound, { replays, request: { ...request, method: 'PUT' } })).rejects.toMatchObject(REFUSED);
    await verify(bound, { replays });
  });

  test('lives 300 seconds at most', async () => {
    await verify(selfSigned(claims({ jti: 'a', exp: NOW + 300 })));
    await expect(verify(selfSigned(claims({ jti: 'a', exp: NOW + 301 })))).rejects.toMatchObject(REFUSED);
    await expect(verify(selfSigned(claims({ jti: 'a', iat: NOW - 241, exp: NOW + 60 })))).rejects.toMatchObject(
      REFUSED,
    );
  });

  test('is refused when it cannot be remembered', async () => {
    const replays = new MemoryReplays(() => NOW * 1000, { ledger: 1 });
    await verify(selfSigned(claims({ jti: 'a', exp: NOW + 60 })), { replays });
    await expect(verify(selfSigned(claims({ jti: 'b', exp: NOW + 60 })), { replays })).rejects.toMatchObject(REFUSED);
    await verify(selfSigned(), { replays });
  });
});

describe('bound to a request', () => {
  test('only that request is accepted', async () => {
    const token = selfSigned(claims({ hsh: requestHash(request, ['x-ledger']) }));
    await verify(token);
    for (const change of [
      { method: 'DELETE' },
      { url: 'https://ledger.example/v2/wallets?data.handle=w2' },
      { headers: { 'x-ledger': 'other' } },
      { headers: {} },
      { body: { data: {} } },
    ]) {
      await expect(verify(token, { request: { ...request, ...change } })).rejects.toMatchObject(REFUSED);
    }
  });
});

test('a failing key source is no fault of the token', async () => {
  const keys = new Keys();
  keys.signerKey = () => Promise.reject(new Error('connection lost'));
  await expect(verify(selfSigned(claims(), { alg: 'EdDSA', kid: 'admin' }), { keys })).rejects.toThrow(
    'connection lost',
  );
});
