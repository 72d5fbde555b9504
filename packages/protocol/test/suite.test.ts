import { Point } from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';
import { describe, expect, test } from 'vitest';
import { decodeHex, portable, portableAsync } from '../src/index.js';

const ORDER = Point.CURVE().n;
const FIELD = 2n ** 255n - 19n;
const message = Uint8Array.of(1, 2, 3);

const number = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const bytes = (value: bigint): Uint8Array =>
  Uint8Array.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse());
const join = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));

/** A point of order 8; its multiples are all the small-order points. */
const TORSION = Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a');
const torsion = (times: number): Point => TORSION.multiply(BigInt(times), false);
const SECRET = 123_456_789n;
const NONCE = 987_654_321n;
const KEY = Point.BASE.multiply(SECRET);
const COMMITMENT = Point.BASE.multiply(NONCE);

/** What both suites say of a signature: they must agree. */
async function verdict(signature: Uint8Array, signed: Uint8Array, key: Uint8Array): Promise<boolean> {
  const said = portable.verify(signature, signed, key);
  expect(await portableAsync.verify(signature, signed, key)).toBe(said);
  return said;
}

/** A signature by the equation of RFC 8032, over whatever encodings of key and commitment are given. */
function forge(key: Uint8Array, commitment: Uint8Array, secret: bigint, nonce: bigint): Promise<boolean> {
  const challenge = number(sha512(join(commitment, key, message))) % ORDER;
  return verdict(join(commitment, bytes((nonce + challenge * secret) % ORDER)), message, key);
}

test('the equation, as a control', async () => {
  expect(await forge(KEY.toBytes(), COMMITMENT.toBytes(), SECRET, NONCE)).toBe(true);
});

describe('what a verifier with a cofactor or a laxer reading would accept', () => {
  test.each([1, 2, 3, 4, 5, 6, 7])('torsion %d in the commitment', async (times) => {
    expect(await forge(KEY.toBytes(), COMMITMENT.add(torsion(times)).toBytes(), SECRET, NONCE)).toBe(false);
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7])('small-order key or commitment %d', async (times) => {
    const small = torsion(times).toBytes();
    expect(await forge(small, COMMITMENT.toBytes(), 0n, NONCE)).toBe(false);
    expect(await forge(KEY.toBytes(), small, SECRET, 0n)).toBe(false);
    expect(await forge(small, small, 0n, 0n)).toBe(false);
  });

  test('torsion in the key counts only when the challenge cancels it', async () => {
    for (let times = 1; times < 8; times++) {
      const key = KEY.add(torsion(times)).toBytes();
      const challenge = number(sha512(join(COMMITMENT.toBytes(), key, message))) % ORDER;
      const cancels = (challenge * BigInt(times)) % 8n === 0n;
      expect(await forge(key, COMMITMENT.toBytes(), SECRET, NONCE)).toBe(cancels);
    }
  });

  test('encodings that are not the shortest', async () => {
    const minusZero = bytes(1n | (1n << 255n));
    expect(await forge(bytes(FIELD + 1n), COMMITMENT.toBytes(), 0n, NONCE)).toBe(false);
    expect(await forge(KEY.toBytes(), bytes(FIELD + 1n), SECRET, 0n)).toBe(false);
    expect(await forge(minusZero, COMMITMENT.toBytes(), 0n, NONCE)).toBe(false);
  });

  test('a scalar not below the group order', async () => {
    const secret = new Uint8Array(32).fill(7);
    const signature = portable.sign(message, secret);
    const key = portable.publicKey(secret);
    expect(await verdict(signature, message, key)).toBe(true);
    const scalar = number(signature.subarray(32));
    for (const more of [ORDER, 2n * ORDER, 8n * ORDER]) {
      const second = join(signature.subarray(0, 32), bytes(scalar + more));
      expect(await verdict(second, message, key)).toBe(false);
    }
  });
});

test('malformed input is false, never a throw', async () => {
  const secret = new Uint8Array(32).fill(7);
  const signature = portable.sign(message, secret);
  const key = portable.publicKey(secret);
  const noPoint = bytes(2n);
  expect(() => Point.fromBytes(noPoint)).toThrow();
  expect(await verdict(signature.subarray(1), message, key)).toBe(false);
  expect(await verdict(join(signature, Uint8Array.of(0)), message, key)).toBe(false);
  expect(await verdict(signature, message, key.subarray(1))).toBe(false);
  expect(await verdict(signature, message, noPoint)).toBe(false);
  expect(await verdict(new Uint8Array(64), message, new Uint8Array(32))).toBe(false);
  expect(await verdict(new Uint8Array(64).fill(255), message, new Uint8Array(32).fill(255))).toBe(false);
  expect(await verdict(undefined as unknown as Uint8Array, message, key)).toBe(false);
});

test('both suites have the same keys and signatures', async () => {
  for (const byte of [0, 7, 255]) {
    const secret = new Uint8Array(32).fill(byte);
    expect(await portableAsync.publicKey(secret)).toEqual(portable.publicKey(secret));
    expect(await portableAsync.sign(message, secret)).toEqual(portable.sign(message, secret));
  }
});

test('the first two vectors of RFC 8032 §7.1', async () => {
  const [first, second] = [
    ['9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', ''],
    ['4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb', '72'],
  ].map(([secret, text]) => Buffer.from(portable.sign(decodeHex(text!)!, decodeHex(secret!)!)).toString('hex'));
  expect(first).toBe(
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  );
  expect(second).toBe(
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  );
});
