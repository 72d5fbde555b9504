import { generatePrimeSync, randomBytes } from 'node:crypto';

/** The numbers of an RSA key, of which tests make keys that no tool makes. */
export interface RsaNumbers {
  readonly n: bigint;
  readonly e: bigint;
  readonly d: bigint;
  readonly p: bigint;
  readonly q: bigint;
  readonly dp: bigint;
  readonly dq: bigint;
  readonly qi: bigint;
}

/**
 * Numbers that fit together.
 *
 * @param bits of each factor
 * @param arePrime factors that are not prime are found at once, and signing with them is slow
 */
export function rsaNumbers(bits: readonly [number, number], { e = 65_537n, arePrime = true } = {}): RsaNumbers {
  for (;;) {
    const [p, q] = bits.map((size) => (arePrime ? generatePrimeSync(size, { bigint: true }) : oddOf(size)));
    const [dp, dq, qi] = [inverse(e, p! - 1n), inverse(e, q! - 1n), inverse(q!, p!)];
    const d = inverse(e, ((p! - 1n) * (q! - 1n)) / gcd(p! - 1n, q! - 1n));
    const n = p! * q!;
    if (dp === undefined || dq === undefined || qi === undefined || d === undefined) continue;
    if (n.toString(2).length === bits[0] + bits[1]) return { n, e, d, p: p!, q: q!, dp, dq, qi };
  }
}

/** A random odd number whose two highest bits are set. */
function oddOf(bits: number): bigint {
  return bigintOf(randomBytes(bits / 8)) | (3n << BigInt(bits - 2)) | 1n;
}

export function bigintOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`);
}

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? a : gcd(b, a % b);
}

function inverse(a: bigint, modulus: bigint): bigint | undefined {
  let [r, next, t, nextT] = [modulus, a % modulus, 0n, 1n];
  while (next !== 0n) {
    const times = r / next;
    [r, next] = [next, r - times * next];
    [t, nextT] = [nextT, t - times * nextT];
  }
  return r === 1n ? (t + modulus) % modulus : undefined;
}

/** A value in DER: its tag, its length, and what it holds. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const bytes = Buffer.from(content.length.toString(16).padStart(6, '0'), 'hex');
  const size = content.length < 0x80 ? [content.length] : [0x83, ...bytes];
  // The shortest form: without leading zeros.
  while (size.length > 2 && size[1] === 0) size.splice(1, 1);
  if (size.length > 1) size[0] = 0x80 | (size.length - 1);
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

export function integer(value: bigint): Buffer {
  const digits = value.toString(16);
  const bytes = Buffer.from(digits.length % 2 ? `0${digits}` : digits, 'hex');
  return der(0x02, bytes[0]! < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes]));
}

export function pem(label: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** PKCS#1. */
export function rsaDer({ n, e, d, p, q, dp, dq, qi }: RsaNumbers): Buffer {
  return der(0x30, ...[0n, n, e, d, p, q, dp, dq, qi].map(integer));
}

export function rsaPem(numbers: RsaNumbers): string {
  return pem('RSA PRIVATE KEY', rsaDer(numbers));
}

/** PKCS#8 around a private key. */
export function pkcs8(algorithm: readonly Uint8Array[], key: Uint8Array): string {
  return pem('PRIVATE KEY', der(0x30, integer(0n), der(0x30, ...algorithm), der(0x04, key)));
}

const DSA = der(0x06, Buffer.from('2a8648ce380401', 'hex'));

/** A DSA key of so many bytes in each number: OpenSSL computes its public key when it loads it. */
export function dsaPem(bytes: number): string {
  const random = () => oddOf(8 * bytes);
  const parameters = der(0x30, ...[random(), random(), random()].map(integer));
  return pkcs8([DSA, parameters], integer(random()));
}

const EC = der(0x06, Buffer.from('2a8648ce3d0201', 'hex'));

/** A key on a curve that it describes by its numbers, over a field of so many bytes. */
export function ownCurvePem(bytes: number): string {
  const random = () => der(0x04, randomBytes(bytes));
  const field = der(0x30, der(0x06, Buffer.from('2a8648ce3d0101', 'hex')), integer(oddOf(8 * bytes)));
  const point = der(0x04, Buffer.concat([Buffer.of(4), randomBytes(2 * bytes)]));
  const parameters = der(0x30, integer(1n), field, der(0x30, random(), random()), point, integer(oddOf(8 * bytes)));
  return pkcs8([EC, parameters], der(0x30, integer(1n), random()));
}
