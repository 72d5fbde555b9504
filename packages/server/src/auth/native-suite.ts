import { hash } from 'node:crypto';
import type { Suite } from '@countersign/protocol';
import { crypto_sign_detached, crypto_sign_seed_keypair, crypto_sign_verify_detached } from 'sodium-native';
import { cacheLimits, LruCache } from '../base/lru-cache.js';
import { PUBLIC_BYTES, SECRET_KEY_BYTES, SIGNATURE_BYTES } from '../signing/messages.js';

const SEED_BYTES = 32;

/**
 * Secret keys by seed, because expanding a seed takes as long as the signature itself. Every ledger signs with two keys,
 * `system` and `system.auth`.
 */
const secrets = new LruCache<string, Buffer>(2 * cacheLimits.ledgers);

/**
 * The cryptography of the wire format in native code (interface/envelope#hash-and-digest); it agrees with `portable` on
 * every input.
 */
export const native: Suite = {
  sha256: (text) => hash('sha256', text, 'hex'),
  sign: signDetached,
  verify: verifyDetached,
  publicKey: (seed) => Uint8Array.from(secretOf(seed).subarray(SEED_BYTES)),
};

function signDetached(message: Uint8Array, seed: Uint8Array): Uint8Array {
  const signature = new Uint8Array(SIGNATURE_BYTES);
  crypto_sign_detached(asBuffer(signature), asBuffer(message), secretOf(seed));
  return signature;
}

function verifyDetached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  // The binding throws on other lengths; libsodium checks the rest.
  if (signature.length !== SIGNATURE_BYTES || publicKey.length !== PUBLIC_BYTES) return false;
  return crypto_sign_verify_detached(asBuffer(signature), asBuffer(message), asBuffer(publicKey));
}

/** The secret key of a 32-byte seed. Its content is the key of the cache: callers may reuse or wipe their array. */
function secretOf(seed: Uint8Array): Buffer {
  if (seed.length !== SEED_BYTES) throw new TypeError(`A seed has ${SEED_BYTES} bytes`);
  const text = Buffer.from(seed.buffer, seed.byteOffset, seed.byteLength).toString('latin1');
  return secrets.getOrSet(text, () => {
    const secret = Buffer.alloc(SECRET_KEY_BYTES);
    crypto_sign_seed_keypair(Buffer.alloc(PUBLIC_BYTES), secret, asBuffer(seed));
    return secret;
  });
}

/** The binding takes any view of bytes; only its types ask for a Buffer. A cast spares the copy. */
function asBuffer(bytes: Uint8Array): Buffer {
  return bytes as Buffer;
}
