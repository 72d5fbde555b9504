import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyLimits } from '../../src/untrusted-keys/key-limits.js';
import { assertSound, readPrivateKey } from '../../src/untrusted-keys/private-key.js';
import { UnusableKey } from '../../src/untrusted-keys/unusable-key.js';
import {
  der,
  dsaPem,
  integer,
  ownCurvePem,
  pem,
  type RsaNumbers,
  rsaDer,
  rsaNumbers,
  rsaPem,
} from '../support/crafted-keys.js';
import { effort } from '../support/effort.js';

type Form = 'pkcs8' | 'pkcs1' | 'sec1';

function textOf(key: KeyObject, type: Form): string {
  return String(key.export({ type, format: 'pem' } as { type: 'pkcs8'; format: 'pem' }));
}

const rsa = (modulusLength: number, publicExponent = 65_537) =>
  generateKeyPairSync('rsa', { modulusLength, publicExponent });
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const made = rsa(2_048);
const numbers = rsaNumbers([1_024, 1_024]);

/** Why a text is not taken; undefined when it is. */
function refusal(text: string): string | undefined {
  try {
    assertSound(readPrivateKey(text), randomBytes);
    return undefined;
  } catch (error) {
    if (!(error instanceof UnusableKey)) throw error;
    return error.message;
  }
}

/** Whether the key that was read from a text signs for a public key. */
function signsFor(text: string, publicKey: KeyObject): boolean {
  const { key } = readPrivateKey(text);
  const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  return verify(algorithm, Buffer.from('text'), publicKey, sign(algorithm, Buffer.from('text'), key));
}

const KINDS = 'RSA of 2048 to 4096 bits, P-256, P-384, P-521 and Ed25519 are';
const NOT_TAKEN = `The private key is of a kind that is not taken: ${KINDS}`;
const UNREADABLE = 'The private key cannot be read';
const UNFIT = 'The numbers of the private key do not fit together';
const LOCKED = 'The private key has a passphrase';

describe('a private key is taken', () => {
  it.each<[string, () => { publicKey: KeyObject; privateKey: KeyObject }, Form[]]>([
    ['RSA of 2048 bits', () => made, ['pkcs8', 'pkcs1']],
    ['RSA of 4096 bits', () => rsa(4_096), ['pkcs8', 'pkcs1']],
    ['RSA of 2056 bits, with the exponent 3', () => rsa(2_056, 3), ['pkcs8']],
    ['P-256', () => ec('P-256'), ['pkcs8', 'sec1']],
    ['P-384', () => ec('P-384'), ['pkcs8', 'sec1']],
    ['P-521', () => ec('P-521'), ['pkcs8', 'sec1']],
    ['Ed25519', () => generateKeyPairSync('ed25519'), ['pkcs8']],
  ])('%s, and signs as what it was', (_, make, forms) => {
    const { publicKey, privateKey } = make();
    for (const form of forms) {
      expect(refusal(textOf(privateKey, form))).toBeUndefined();
      expect(signsFor(textOf(privateKey, form), publicKey)).toBe(true);
    }
  });

  it('with other text around it, as tools write it', () => {
    const curve = ec('P-256');
    const named = pem('EC PARAMETERS', Buffer.from('06082a8648ce3d030107', 'hex'));
    const texts = [
      `${named}${textOf(curve.privateKey, 'sec1')}`,
      `Bag Attributes\n    friendlyName: a\n${textOf(curve.privateKey, 'pkcs8')}more`,
      `${pem('CERTIFICATE', Buffer.from('any'))}${textOf(curve.privateKey, 'pkcs8').replaceAll('\n', '\r\n')}`,
    ];
    for (const text of texts) expect(signsFor(text, curve.publicKey)).toBe(true);
  });

  it('with its public key beside it (RFC 5958), which does not count', () => {
    const other = generateKeyPairSync('ed25519');
    const seed = Buffer.from(other.privateKey.export({ format: 'jwk' }).d!, 'base64url');
    const parts = [integer(1n), der(0x30, der(0x06, Buffer.from('2b6570', 'hex'))), der(0x04, der(0x04, seed))];
    const text = pem('PRIVATE KEY', der(0x30, ...parts, der(0x81, Buffer.alloc(33))));
    expect(signsFor(text, other.publicKey)).toBe(true);
  });

  it('once: the same text is not judged again', () => {
    const text = textOf(made.privateKey, 'pkcs8');
    expect(readPrivateKey(text)).toBe(readPrivateKey(text));
  });

  it(`of up to ${keyLimits.privateKey} characters`, () => {
    const text = textOf(made.privateKey, 'pkcs8').padEnd(keyLimits.privateKey, '\n');
    expect([refusal(text), refusal(`${text}\n`)]).toEqual([undefined, 'The private key is too long']);
  });
});

describe('a private key is refused', () => {
  it.each<[string, () => string, string]>([
    ['no text', () => '', UNREADABLE],
    ['another text', () => 'no key at all', UNREADABLE],
    ['a public key', () => String(made.publicKey.export({ type: 'spki', format: 'pem' })), UNREADABLE],
    ['a block without end', () => textOf(made.privateKey, 'pkcs8').replace(/-----END.*/s, ''), UNREADABLE],
    ['a block that is not base64', () => pem('PRIVATE KEY', Buffer.of(1, 2, 3)).replace('A', '!'), UNREADABLE],
    ['a block that is not DER', () => pem('PRIVATE KEY', Buffer.alloc(64, 0x30)), UNREADABLE],
    ['a byte too many', () => pem('RSA PRIVATE KEY', Buffer.concat([rsaDer(numbers), Buffer.of(0)])), UNREADABLE],
    ['one with a passphrase', () => locked('pkcs8'), LOCKED],
    ['one with a passphrase in the old form', () => locked('pkcs1'), LOCKED],
    ['RSA of 2040 bits', () => rsaPem(rsaNumbers([1_016, 1_024], { arePrime: false })), NOT_TAKEN],
    ['RSA of 4104 bits', () => rsaPem(rsaNumbers([2_048, 2_056], { arePrime: false })), NOT_TAKEN],
    [
      'RSA for PSS alone',
      () => pkcs8Of(generateKeyPairSync('rsa-pss', { modulusLength: 2_048 }).privateKey),
      NOT_TAKEN,
    ],
    ['secp256k1', () => pkcs8Of(ec('secp256k1').privateKey), NOT_TAKEN],
    ['secp256k1 in SEC 1', () => textOf(ec('secp256k1').privateKey, 'sec1'), NOT_TAKEN],
    ['a curve of its own', () => ownCurvePem(32), NOT_TAKEN],
    ['X25519', () => pkcs8Of(generateKeyPairSync('x25519').privateKey), NOT_TAKEN],
    ['Ed448', () => pkcs8Of(generateKeyPairSync('ed448').privateKey), NOT_TAKEN],
    ['DSA', () => dsaPem(256), NOT_TAKEN],
    ['DSA in the old form', () => pem('DSA PRIVATE KEY', der(0x30, integer(0n))), NOT_TAKEN],
  ])('%s', (_, text, why) => {
    expect(refusal(text())).toBe(why);
    expect(refusal(text())).toBe(why);
  });

  it.each<[string, (key: RsaNumbers) => RsaNumbers, string]>([
    ['an even modulus', (key) => ({ ...key, n: key.n + 1n }), NOT_TAKEN],
    ['another modulus', (key) => ({ ...key, n: key.n + 2n }), UNFIT],
    ['an exponent of 1', (key) => ({ ...key, e: 1n }), NOT_TAKEN],
    ['an even exponent', (key) => ({ ...key, e: 65_538n }), NOT_TAKEN],
    ['an exponent of 33 bits', (key) => ({ ...key, e: 2n ** 32n + 1n }), NOT_TAKEN],
    ['another exponent', (key) => ({ ...key, e: 65_539n }), UNFIT],
    ['another private exponent', (key) => ({ ...key, d: key.d + 2n }), UNFIT],
    ['a private exponent of 1.5 kB', (key) => ({ ...key, d: key.d + (1n << 12_000n) }), UNFIT],
    ['one that fits and is above the modulus', (key) => ({ ...key, d: aboveModulus(key) }), UNFIT],
    ['another first prime', (key) => ({ ...key, p: key.p + 2n }), UNFIT],
    ['primes of 0', (key) => ({ ...key, p: 0n, q: 0n }), UNFIT],
    ['a prime of 1', (key) => ({ ...key, p: 1n, q: key.n }), UNFIT],
    ['a CRT exponent that is longer', (key) => ({ ...key, dp: key.dp + (key.p - 1n) }), UNFIT],
    ['a CRT exponent of 1.5 kB', (key) => ({ ...key, dp: key.dp + ((key.p - 1n) << 11_000n) }), UNFIT],
    ['another second CRT exponent', (key) => ({ ...key, dq: key.dq - 2n }), UNFIT],
    ['another coefficient', (key) => ({ ...key, qi: key.qi + 1n }), UNFIT],
    ['numbers of 0', (key) => ({ ...key, d: 0n, dp: 0n, dq: 0n, qi: 0n }), UNFIT],
  ])('RSA with %s', (_, change, why) => {
    expect(refusal(rsaPem(numbers))).toBeUndefined();
    expect(refusal(rsaPem(change(numbers)))).toBe(why);
  });

  it('RSA of primes of unequal length: by 64 bits at most', () => {
    expect(refusal(rsaPem(rsaNumbers([1_056, 992])))).toBeUndefined();
    expect(refusal(rsaPem(rsaNumbers([1_064, 984])))).toBe(UNFIT);
  });

  it('RSA of factors that are not prime, where it is stored', () => {
    const text = rsaPem(rsaNumbers([1_024, 1_024], { arePrime: false }));
    expect(readPrivateKey(text).rsa).toBeDefined();
    expect(refusal(text)).toBe(UNFIT);
  });

  it.each([
    ['0', 0n],
    ['the order of the curve', BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551')],
  ])('P-256 with the number %s', (_, value) => {
    const octets = Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
    const curve = der(0xa0, der(0x06, Buffer.from('2a8648ce3d030107', 'hex')));
    const text = pem('EC PRIVATE KEY', der(0x30, integer(1n), der(0x04, octets), curve));
    expect(refusal(text)).toBe(UNFIT);
  });

  it('P-256 whose public key is of another curve than what it is said to be', () => {
    const inner = ec('P-256').privateKey.export({ type: 'sec1', format: 'der' });
    const algorithm = [der(0x06, Buffer.from('2a8648ce3d0201', 'hex')), der(0x06, Buffer.from('2b81040022', 'hex'))];
    const text = pem('PRIVATE KEY', der(0x30, integer(0n), der(0x30, ...algorithm), der(0x04, inner)));
    expect(refusal(text)).toBe(UNREADABLE);
  });

  it('without work for it, whatever numbers it has', () => {
    const hostile = [
      dsaPem(8_000),
      dsaPem(750),
      ownCurvePem(300),
      rsaPem({ ...numbers, dp: numbers.dp + ((numbers.p - 1n) << 1_600_000n) }),
      rsaPem({ ...numbers, dp: numbers.dp + ((numbers.p - 1n) << 8_000n) }),
      pem('PRIVATE KEY', nested(0x30, 3_000)),
      pem('PRIVATE KEY', der(0x30, Buffer.alloc(2_990, Buffer.of(5, 0)))),
    ];
    // Seconds to minutes each, where OpenSSL is given one.
    expect(effort(() => void hostile.map(refusal))).toBeLessThan(2_000);
    expect(hostile.map(refusal)).not.toContain(undefined);
  });
});

function pkcs8Of(key: KeyObject): string {
  return textOf(key, 'pkcs8');
}

function locked(type: Form): string {
  const cipher = { cipher: 'aes-256-cbc', passphrase: 'x' };
  return String(made.privateKey.export({ type: type as 'pkcs8', format: 'pem', ...cipher }));
}

/** The private exponent, and the smallest multiple of what it is counted by that lifts it above the modulus. */
function aboveModulus({ d, p, q }: RsaNumbers): bigint {
  return d + (p - 1n) * (q - 1n) * 4n;
}

function nested(tag: number, bytes: number): Buffer {
  let value: Buffer = Buffer.alloc(0);
  while (value.length < bytes - 8) value = der(tag, value);
  return value;
}

it('the public key of an RSA key is that of its numbers', () => {
  const { key, rsa: read } = readPrivateKey(textOf(made.privateKey, 'pkcs1'));
  expect(createPublicKey(key).equals(made.publicKey)).toBe(true);
  expect(read?.exponent).toBe(65_537n);
});
