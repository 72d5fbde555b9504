import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import { LruCache } from '../base/lru-cache.js';
import { type Algorithm, curveOf, readAlgorithm, writeAlgorithm } from './algorithm.js';
import { type DerValue, derInteger, derOf, MalformedDer, readDer, sequenceOf, TAG } from './der.js';
import { keyLimits } from './key-limits.js';
import { bytesOfPem, type PemBlock, pemBlocks } from './pem.js';
import { RSA_SIZES } from './public-key.js';
import { fitsTogether, havePrimes, isBoundedRsa, type RsaPrivate, readRsaPrivate, writeRsaPrivate } from './rsa.js';
import { UnusableKey } from './unusable-key.js';

/** A private key that was judged: the time to sign with it has a bound of some milliseconds. */
export interface SigningPrivateKey {
  readonly key: KeyObject;
  /** The numbers of an RSA key. */
  readonly rsa?: RsaPrivate;
}

/** What became of the last texts that were judged, by their digest: the same key is judged once. */
const keyCache = new LruCache<string, SigningPrivateKey | { readonly refusal: string }>(keyLimits.judged);

/**
 * The private key of a PEM text: PKCS#8, PKCS#1 or SEC 1. OpenSSL is given bytes that are made here from the numbers of the
 * key, and of no key that is not taken: loading a DSA key takes it minutes.
 *
 * @throws UnusableKey for any but RSA of 2,048 to 4,096 bits whose numbers fit together, P-256, P-384, P-521 and Ed25519
 */
export function readPrivateKey(pem: string): SigningPrivateKey {
  if (pem.length > keyLimits.privateKey) throw new UnusableKey('The private key is too long');
  const name = createHash('sha256').update(pem).digest('base64');
  const outcome = keyCache.getOrSet(name, () => judgePrivateKey(pem));
  if ('refusal' in outcome) throw new UnusableKey(outcome.refusal);
  return outcome;
}

/** Keys that were told by their primes. */
const keysWithPrimes = new WeakMap<SigningPrivateKey, boolean>();

/**
 * Judges what `readPrivateKey` leaves open, once for each key, since it takes longer: it is for keys that are stored.
 *
 * @throws UnusableKey
 */
export function assertSound(key: SigningPrivateKey, random: (bytes: number) => Uint8Array): void {
  const isSound = keysWithPrimes.get(key) ?? (!key.rsa || havePrimes(key.rsa, random));
  keysWithPrimes.set(key, isSound);
  if (!isSound) throw new UnusableKey(UNFIT_NUMBERS);
}

const UNREADABLE_PRIVATE_KEY = 'The private key cannot be read';
const LOCKED = 'The private key has a passphrase';
const NOT_TAKEN = `The private key is of a kind that is not taken: ${RSA_SIZES}, P-256, P-384, P-521 and Ed25519 are`;
const UNFIT_NUMBERS = 'The numbers of the private key do not fit together';

function judgePrivateKey(pem: string): SigningPrivateKey | { readonly refusal: string } {
  try {
    const written = rewriteKey(pem);
    return typeof written === 'string' ? { refusal: written } : loadKey(written);
  } catch (error) {
    if (error instanceof MalformedDer) return { refusal: UNREADABLE_PRIVATE_KEY };
    throw error;
  }
}

/** PKCS#8 in DER, of numbers that were judged. */
interface WrittenKey {
  readonly der: Buffer;
  readonly rsa?: RsaPrivate;
}

function loadKey({ der, rsa }: WrittenKey): SigningPrivateKey | { readonly refusal: string } {
  try {
    return { key: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }), ...(rsa ? { rsa } : {}) };
  } catch {
    // What the library says may quote the text.
    return { refusal: UNREADABLE_PRIVATE_KEY };
  }
}

/** The first private key in a text, written anew; or why it is not taken. */
function rewriteKey(pem: string): WrittenKey | string {
  const block = pemBlocks(pem).find(({ label }) => label.endsWith('PRIVATE KEY'));
  if (!block) return UNREADABLE_PRIVATE_KEY;
  if (block.label.startsWith('ENCRYPTED') || block.text.includes('ENCRYPTED')) return LOCKED;
  const bytes = bytesOfPem(block);
  return bytes ? writeAs(block, bytes) : UNREADABLE_PRIVATE_KEY;
}

function writeAs({ label }: PemBlock, bytes: Uint8Array): WrittenKey | string {
  switch (label) {
    case 'PRIVATE KEY':
      return writePkcs8(readDer(bytes));
    case 'RSA PRIVATE KEY':
      return writeRsa(readDer(bytes));
    case 'EC PRIVATE KEY':
      return writeEc(readDer(bytes), undefined);
    default:
      return NOT_TAKEN;
  }
}

/** PrivateKeyInfo (RFC 5208), or OneAsymmetricKey (RFC 5958), whose attributes and public key are left out. */
function writePkcs8(value: DerValue): WrittenKey | string {
  const [version, named, key, ...rest] = value.parts();
  if (!version || !named || !key || version.integer() > 1n || rest.length > 2) return UNREADABLE_PRIVATE_KEY;
  const algorithm = readAlgorithm(named);
  const inner = readDer(key.octets());
  switch (algorithm?.name) {
    case 'rsa':
      return writeRsa(inner);
    case 'ec':
      return writeEc(inner, algorithm);
    case 'ed25519':
      return inner.octets().length === 32 ? { der: pkcs8Of(algorithm, inner.whole) } : UNREADABLE_PRIVATE_KEY;
    case undefined:
      return NOT_TAKEN;
  }
}

function writeRsa(value: DerValue): WrittenKey | string {
  const numbers = readRsaPrivate(value);
  if (!numbers || !isBoundedRsa(numbers)) return NOT_TAKEN;
  if (!fitsTogether(numbers)) return UNFIT_NUMBERS;
  return { der: pkcs8Of({ name: 'rsa' }, writeRsaPrivate(numbers)), rsa: numbers };
}

/**
 * ECPrivateKey (RFC 5915). The public key is left out, since OpenSSL takes any that stands there: it makes that of the
 * private key.
 *
 * @param known the algorithm that stands beside it, as in PKCS#8; undefined where the key itself has to name the curve
 */
function writeEc(value: DerValue, known: Algorithm | undefined): WrittenKey | string {
  const [version, secret, ...more] = value.parts();
  if (!version || !secret || version.integer() !== 1n || more.length > 2) return UNREADABLE_PRIVATE_KEY;
  const parameters = more.find(({ tag }) => tag === TAG.context)?.parts(TAG.context)[0];
  const named = parameters?.tag === TAG.oid ? curveOf(parameters.oid()) : undefined;
  const algorithm = known ?? named;
  if (algorithm?.name !== 'ec' || (parameters && named?.name !== 'ec')) return NOT_TAKEN;
  const { bytes, order } = algorithm.curve;
  const octets = Buffer.from(secret.octets());
  if (octets.length !== bytes) return UNREADABLE_PRIVATE_KEY;
  const number = BigInt(`0x${octets.toString('hex')}`);
  if (number === 0n || number >= order) return UNFIT_NUMBERS;
  return { der: pkcs8Of(algorithm, sequenceOf(derInteger(1n), derOf(TAG.octets, octets))) };
}

function pkcs8Of(algorithm: Algorithm, key: Uint8Array): Buffer {
  return sequenceOf(derInteger(0n), writeAlgorithm(algorithm), derOf(TAG.octets, key));
}
