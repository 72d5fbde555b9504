import { Point } from '@noble/ed25519';

const CURVE_ORDER = Point.CURVE().n;

/**
 * Cofactorless verification by RFC 8032 §5.1.7, as in libsodium. The library's own `verify` multiplies by the cofactor
 * even when strict, and so accepts signatures that a native suite refuses: two verifiers of one record would disagree.
 *
 * @param challenge SHA-512 over the first half of the signature, the key and the message
 */
export function verifiesCofactorless(signature: Uint8Array, publicKey: Uint8Array, challenge: Uint8Array): boolean {
  try {
    if (signature.length !== 64 || publicKey.length !== 32) return false;
    const scalar = littleEndian(signature.subarray(32));
    if (scalar >= CURVE_ORDER) return false;
    const key = Point.fromBytes(publicKey);
    const expected = Point.fromBytes(signature.subarray(0, 32));
    if (key.isSmallOrder() || expected.isSmallOrder()) return false;
    const multiple = key.multiply(littleEndian(challenge) % CURVE_ORDER, false);
    return Point.BASE.multiply(scalar, false).subtract(multiple).equals(expected);
  } catch {
    // Bytes off the curve, or arguments other than bytes.
    return false;
  }
}

function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let at = bytes.length - 1; at >= 0; at--) value = (value << 8n) | BigInt(bytes[at]!);
  return value;
}
