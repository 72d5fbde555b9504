import { getPublicKey, hashes, Point, sign } from '@noble/ed25519';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';

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

const ORDER = Point.CURVE().n;

/** A suite in plain JavaScript, for browsers and for checking native ones. */
export const portable: Suite = {
  sha256: (text) => bytesToHex(sha256(utf8ToBytes(text))),
  sign: (message, secret) => sign(message, secret),
  verify: verifyCofactorless,
  publicKey: (secret) => getPublicKey(secret),
};

/**
 * Cofactorless verification by RFC 8032 §5.1.7, as in libsodium. The library's own `verify` multiplies by the cofactor
 * even when strict, and so accepts signatures that a native suite refuses: two verifiers of one record would disagree.
 */
function verifyCofactorless(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    if (signature.length !== 64 || publicKey.length !== 32) return false;
    const commitment = signature.subarray(0, 32);
    const scalar = littleEndian(signature.subarray(32));
    if (scalar >= ORDER) return false;
    const key = Point.fromBytes(publicKey);
    const expected = Point.fromBytes(commitment);
    if (key.isSmallOrder() || expected.isSmallOrder()) return false;
    const challenge = littleEndian(sha512(concatBytes(commitment, publicKey, message))) % ORDER;
    return Point.BASE.multiply(scalar, false).subtract(key.multiply(challenge, false)).equals(expected);
  } catch {
    // Bytes off the curve, or arguments other than bytes.
    return false;
  }
}

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytesToHex(Uint8Array.from(bytes).reverse())}`);
}
