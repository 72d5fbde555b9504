import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { rsaKey } from '../../src/auth/rsa-key.js';
import { rsaPublic, spki } from './tokens.js';

/** The base64 of a key whose modulus has `bits`; no private key belongs to it. */
function keyOf(bits: number): string {
  const modulus = Buffer.alloc(Math.ceil(bits / 8), 0xff);
  modulus[0] = 0xff >> (8 * modulus.length - bits);
  return spki(createPublicKey({ key: { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' }, format: 'jwk' }));
}

test('the modulus has 2048 to 4096 bits', () => {
  for (const bits of [2048, 4096]) expect(rsaKey(keyOf(bits))?.key.asymmetricKeyDetails?.modulusLength).toBe(bits);
  for (const bits of [1024, 2047, 4097, 8192, 16384]) expect(rsaKey(keyOf(bits))).toBeUndefined();
});

test('a key is imported once', () => {
  expect(rsaKey(rsaPublic)).toBe(rsaKey(rsaPublic));
});

test('a key for another scheme is not used', () => {
  expect(rsaKey(spki(generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey))).toBeUndefined();
  expect(rsaKey(spki(generateKeyPairSync('ed25519').publicKey))).toBeUndefined();
});

test('what is no key is undefined each time', () => {
  for (const text of ['', 'x', '\0', 'AAAA', rsaPublic.slice(0, -40)]) {
    expect(rsaKey(text)).toBeUndefined();
    expect(rsaKey(text)).toBeUndefined();
  }
});
