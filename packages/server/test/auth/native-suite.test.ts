import { portable, signProof, verifyProof } from '@countersign/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryText } from '../../../protocol/test/support/arbitrary-text.js';
import { native } from '../../src/auth/native-suite.js';
import { cacheLimits } from '../../src/base/lru-cache.js';

const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });
const messages = fc.uint8Array({ maxLength: 200 });

test('sha256 agrees with the portable suite on any text', () => {
  fc.assert(
    fc.property(arbitraryText(), (text) => {
      expect(native.sha256(text)).toBe(portable.sha256(text));
    }),
  );
});

test('signatures and public keys agree with the portable suite', () => {
  fc.assert(
    fc.property(seeds, messages, (seed, message) => {
      const signature = native.sign(message, seed);
      expect(Buffer.from(signature)).toEqual(Buffer.from(portable.sign(message, seed)));
      expect(Buffer.from(native.publicKey(seed))).toEqual(Buffer.from(portable.publicKey(seed)));
      expect(native.verify(signature, message, native.publicKey(seed))).toBe(true);
    }),
    { numRuns: 20 },
  );
});

test('a flipped bit anywhere is refused as the portable suite refuses it', () => {
  fc.assert(
    fc.property(seeds, fc.nat({ max: 8 * 128 - 1 }), (seed, bit) => {
      const message = new Uint8Array(32).fill(1);
      const all = Uint8Array.from([...native.sign(message, seed), ...message, ...native.publicKey(seed)]);
      all[bit >> 3]! ^= 1 << (bit & 7);
      const parts = [all.subarray(0, 64), all.subarray(64, 96), all.subarray(96)] as const;
      expect(native.verify(...parts)).toBe(false);
      expect(portable.verify(...parts)).toBe(false);
    }),
    { numRuns: 30 },
  );
});

// Encodings of points of order 1, 2, 4 and 8, the last three of them not canonical. With such a key and commitment, and
// a scalar of zero, a check that only compares points accepts every message or one in eight.
const SMALL_ORDER = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
];

test('keys and commitments of small order are refused', () => {
  const message = new Uint8Array(32);
  for (const key of SMALL_ORDER) {
    for (const commitment of SMALL_ORDER) {
      const signature = Buffer.concat([Buffer.from(commitment, 'hex'), Buffer.alloc(32)]);
      expect(native.verify(signature, message, Buffer.from(key, 'hex'))).toBe(false);
      expect(portable.verify(signature, message, Buffer.from(key, 'hex'))).toBe(false);
    }
  }
});

test('a scalar beyond the order of the group is refused', () => {
  const seed = new Uint8Array(32).fill(9);
  const message = Buffer.from('twice');
  const signature = native.sign(message, seed);
  const order = Buffer.from('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010', 'hex');
  let carry = 0;
  for (let at = 0; at < 32; at++) {
    const sum = signature[32 + at]! + order[at]! + carry;
    signature[32 + at] = sum & 255;
    carry = sum >> 8;
  }
  expect(native.verify(signature, message, native.publicKey(seed))).toBe(false);
});

test('wrong lengths are refused without a throw', () => {
  const seed = new Uint8Array(32).fill(3);
  const message = new Uint8Array(4);
  const signature = native.sign(message, seed);
  const key = native.publicKey(seed);
  expect(native.verify(signature, message, key)).toBe(true);
  for (const length of [0, 63, 65]) {
    const other = new Uint8Array(length);
    other.set(signature.subarray(0, length));
    expect(native.verify(other, message, key)).toBe(false);
  }
  for (const length of [0, 31, 33]) expect(native.verify(signature, message, new Uint8Array(length))).toBe(false);
});

test('a seed is exactly 32 bytes', () => {
  for (const length of [0, 31, 33]) {
    expect(() => native.sign(new Uint8Array(1), new Uint8Array(length))).toThrow(TypeError);
    expect(() => native.publicKey(new Uint8Array(length))).toThrow(TypeError);
  }
});

test('a seed counts by its content, not by the array that holds it', () => {
  const message = Buffer.from('same array, other seed');
  const array = new Uint8Array(32).fill(1);
  const first = native.sign(message, array);
  const key = native.publicKey(array);
  array.fill(2);
  expect(Buffer.from(native.sign(message, array))).not.toEqual(Buffer.from(first));
  key.fill(0);
  expect(native.verify(first, message, native.publicKey(new Uint8Array(32).fill(1)))).toBe(true);
});

test('signing is right with more seeds than are kept', () => {
  const message = new Uint8Array(32).fill(5);
  const early = new Uint8Array(32).fill(4);
  const signature = native.sign(message, early);
  const seed = Buffer.alloc(32);
  for (let count = 0; count <= 2 * cacheLimits.ledgers; count++) {
    seed.writeUInt32LE(count + 1, 28);
    native.publicKey(seed);
  }
  expect(native.sign(message, early)).toEqual(signature);
});

test('proofs made with one suite verify with the other', () => {
  const secret = new Uint8Array(32).fill(7);
  const input = { hash: 'ab'.repeat(32), custom: { status: 'created' }, secret, public: '' };
  const key = Buffer.from(native.publicKey(secret)).toString('base64');
  expect(verifyProof(input.hash, signProof({ ...input, public: key }, native), portable)).toBe(true);
  expect(verifyProof(input.hash, signProof({ ...input, public: key }, portable), native)).toBe(true);
});
