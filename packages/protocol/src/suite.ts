import { getPublicKey, hashes, sign } from '@noble/ed25519';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { verifiesCofactorless } from './equation.js';

/**
 * The cryptography of the wire format (interface/envelope#hash-and-digest). The server brings a native one; all must
 * agree exactly.
 */
export interface Suite {
  /** Lower-case hex of sha256 over the UTF-8 bytes of `text`. */
  sha256(text: string): string;
  /** The 64-byte Ed25519 signature of `message`; `secret` is the 32-byte seed. */
  sign(message: Uint8Array, secret: Uint8Array): Uint8Array;
  /**
   * Whether `signature` is the key's over `message`. Strict: cofactorless; refuses alternative encodings of a point or
   * scalar, and small-order keys or commitments. Returns false for malformed input instead of throwing.
   */
  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
  /** The 32-byte public key of a 32-byte seed. */
  publicKey(secret: Uint8Array): Uint8Array;
}

hashes.sha512 = sha512;

/** A suite in plain JavaScript, for browsers and for checking native ones. */
export const portable: Suite = {
  sha256: (text) => bytesToHex(sha256(utf8ToBytes(text))),
  sign: (message, secret) => sign(message, secret),
  verify: verifyCofactorless,
  publicKey: (secret) => getPublicKey(secret),
};

/** Verification as `verifiesCofactorless` has it, with the hash at hand. */
function verifyCofactorless(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    const challenge = sha512(concatBytes(signature.subarray(0, 32), publicKey, message));
    return verifiesCofactorless(signature, publicKey, challenge);
  } catch {
    // Arguments other than bytes.
    return false;
  }
}
