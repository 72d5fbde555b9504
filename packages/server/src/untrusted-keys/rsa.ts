import { type DerValue, derInteger, MalformedDer, sequenceOf } from './der.js';
import { keyLimits } from './key-limits.js';

/** The public part of an RSA key. */
export interface RsaPublic {
  readonly modulus: bigint;
  readonly exponent: bigint;
}

/**
 * Whether the time to verify with a key has a bound: its modulus has a size that is taken, and its exponent is short. Even
 * numbers belong to no key.
 */
export function isBoundedRsa({ modulus, exponent }: RsaPublic): boolean {
  const { least, greatest, exponentBits } = keyLimits.rsa;
  const size = bitsOf(modulus);
  if (size < least || size > greatest || isEven(modulus)) return false;
  return exponent >= 3n && !isEven(exponent) && bitsOf(exponent) <= exponentBits;
}

/** An RSAPublicKey (RFC 8017, A.1.1). @throws MalformedDer for anything else */
export function readRsaPublic(value: DerValue): RsaPublic {
  const [modulus, exponent, ...rest] = value.parts();
  if (!modulus || !exponent || rest.length > 0) throw new MalformedDer('An RSA key has other numbers');
  return { modulus: modulus.integer(), exponent: exponent.integer() };
}

/** All numbers of an RSA key of two primes. */
export interface RsaPrivate extends RsaPublic {
  readonly privateExponent: bigint;
  readonly primes: readonly [bigint, bigint];
  /** The private exponent by each of the primes, less one. */
  readonly exponents: readonly [bigint, bigint];
  /** Inverse of the second prime by the first. */
  readonly coefficient: bigint;
}

/**
 * An RSAPrivateKey (RFC 8017, A.1.2); undefined for one of more than two primes.
 *
 * @throws MalformedDer for anything else
 */
export function readRsaPrivate(value: DerValue): RsaPrivate | undefined {
  const parts = value.parts();
  if (parts.length !== 9) return undefined;
  const [version, modulus, exponent, privateExponent, p, q, dp, dq, coefficient] = parts.map((part) => part.integer());
  if (version !== 0n) return undefined;
  return {
    modulus: modulus!,
    exponent: exponent!,
    privateExponent: privateExponent!,
    primes: [p!, q!],
    exponents: [dp!, dq!],
    coefficient: coefficient!,
  };
}

/**
 * Whether the private numbers are those of the public ones. Each is then below the modulus, and the primes are of half its
 * length: the time to sign has a bound. Whether the primes are prime, `havePrimes` tells.
 */
export function fitsTogether(key: RsaPrivate): boolean {
  const { modulus, exponent, privateExponent, primes, exponents, coefficient } = key;
  const [p, q] = primes;
  const longest = bitsOf(modulus) / 2 + keyLimits.rsa.unequal;
  if (p * q !== modulus || primes.some((prime) => bitsOf(prime) > longest)) return false;
  const areInverse = primes.every((prime, index) => {
    const own = exponents[index]!;
    return own < prime && privateExponent % (prime - 1n) === own && (own * exponent) % (prime - 1n) === 1n;
  });
  return areInverse && privateExponent < modulus && coefficient < p && (coefficient * q) % p === 1n;
}

/**
 * Whether each prime passes Fermat's test: signatures are then right at the first attempt. For others OpenSSL repeats the
 * computation without them, which takes five times as long. The test takes up to 60 milliseconds.
 */
export function havePrimes({ primes }: RsaPrivate, random: (bytes: number) => Uint8Array): boolean {
  // A base that no client can know: numbers that pass for one base alone are easily made.
  const base = BigInt(`0x${Buffer.from(random(4)).toString('hex')}`) + 2n;
  return primes.every((prime) => power(base, prime - 1n, prime) === 1n);
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus;
    if (bit === '1') result = (result * base) % modulus;
  }
  return result;
}

export function writeRsaPublic({ modulus, exponent }: RsaPublic): Buffer {
  return sequenceOf(derInteger(modulus), derInteger(exponent));
}

export function writeRsaPrivate(key: RsaPrivate): Buffer {
  const { modulus, exponent, privateExponent, primes, exponents, coefficient } = key;
  const numbers = [0n, modulus, exponent, privateExponent, ...primes, ...exponents, coefficient];
  return sequenceOf(...numbers.map(derInteger));
}

function bitsOf(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

function isEven(value: bigint): boolean {
  return value % 2n === 0n;
}
