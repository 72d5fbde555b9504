import { getPublicKeyAsync, hashes, signAsync } from '@noble/ed25519';
import { verifiesCofactorless } from './equation.js';

/** The signatures of a `Suite`, of cryptography that answers later. */
export interface AsyncSuite {
  /** The 64-byte Ed25519 signature of `message`; `secret` is the 32-byte seed. */
  sign(message: Uint8Array, secret: Uint8Array): Promise<Uint8Array>;
  /** Whether `signature` is the key's over `message`, as strict as that of every suite. */
  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): Promise<boolean>;
  /** The 32-byte public key of a 32-byte seed. */
  publicKey(secret: Uint8Array): Promise<Uint8Array>;
}

/**
 * Ed25519 in plain JavaScript over the SHA-512 of WebCrypto, for browsers that have the one and lack the other: half the
 * size of `portable`. Pages without TLS lack both.
 */
export const portableAsync: AsyncSuite = {
  sign: (message, secret) => signAsync(message, secret),
  verify: verifyLater,
  publicKey: (secret) => getPublicKeyAsync(secret),
};

async function verifyLater(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): Promise<boolean> {
  try {
    const said = new Uint8Array(64 + message.length);
    said.set(signature.subarray(0, 32));
    said.set(publicKey, 32);
    said.set(message, 64);
    return verifiesCofactorless(signature, publicKey, await hashes.sha512Async!(said));
  } catch {
    // Arguments other than bytes.
    return false;
  }
}
