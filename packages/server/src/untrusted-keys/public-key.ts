import { createPublicKey, type KeyObject } from 'node:crypto';
import { type Algorithm, readAlgorithm, writeAlgorithm } from './algorithm.js';
import { isPoint } from './curves.js';
import { type DerValue, derOf, MalformedDer, readDer, sequenceOf, TAG } from './der.js';
import { keyLimits } from './key-limits.js';
import { isBoundedRsa, type RsaPublic, readRsaPublic, writeRsaPublic } from './rsa.js';
import { UnusableKey } from './unusable-key.js';

/** Bytes of a key of Ed25519. */
const ED25519_BYTES = 32;

/**
 * Whether a SubjectPublicKeyInfo (RFC 5280, 4.1.2.7) holds a key that is taken.
 *
 * @throws MalformedDer
 */
export function isTakenPublicKey(value: DerValue): boolean {
  const { algorithm, key } = readPublicKeyInfo(value);
  switch (algorithm?.name) {
    case 'rsa':
      return isBoundedRsa(readRsaPublic(readDer(key)));
    case 'ec':
      return isPoint(key, algorithm.curve);
    case 'ed25519':
      return key.length === ED25519_BYTES;
    case undefined:
      return false;
  }
}

/** An RSA key that was judged. */
export interface RsaVerifyingKey {
  readonly key: KeyObject;
  readonly numbers: RsaPublic;
}

/**
 * The RSA key of a key pair, base64 of its SubjectPublicKeyInfo (interface/signers#key-pairs). OpenSSL is given bytes that
 * are made here from the numbers.
 *
 * @throws UnusableKey
 */
export function readRsaPublicKey(text: string): RsaVerifyingKey {
  if (text.length > keyLimits.publicKey) throw new UnusableKey('The public key is too long');
  const numbers = rsaNumbersIn(Buffer.from(text, 'base64'));
  if (!numbers || !isBoundedRsa(numbers)) throw new UnusableKey(`The public key is not ${RSA_SIZES}`);
  const key = createPublicKey({ key: writePublicKeyInfo(numbers), format: 'der', type: 'spki' });
  return { key, numbers };
}

/** What is taken of RSA, in words. */
const { least, greatest } = keyLimits.rsa;
export const RSA_SIZES = `RSA of ${least} to ${greatest} bits`;

function rsaNumbersIn(bytes: Uint8Array): RsaPublic | undefined {
  try {
    const { algorithm, key } = readPublicKeyInfo(readDer(bytes));
    return algorithm?.name === 'rsa' ? readRsaPublic(readDer(key)) : undefined;
  } catch (error) {
    if (error instanceof MalformedDer) throw new UnusableKey('The public key cannot be read');
    throw error;
  }
}

function readPublicKeyInfo(value: DerValue): { algorithm: Algorithm | undefined; key: Uint8Array } {
  const [algorithm, key, ...rest] = value.parts();
  if (!algorithm || !key || rest.length > 0) throw new MalformedDer('A public key has other parts');
  return { algorithm: readAlgorithm(algorithm), key: key.bits() };
}

function writePublicKeyInfo(numbers: RsaPublic): Buffer {
  return sequenceOf(writeAlgorithm({ name: 'rsa' }), derOf(TAG.bits, Buffer.of(0), writeRsaPublic(numbers)));
}
