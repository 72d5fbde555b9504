import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  canonical,
  digest,
  encodeBase64,
  hash,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
  portable,
  readJson,
  signProof,
  verifyProof,
} from '../src/index.js';
import { arbitraryJson } from './support/arbitrary-json.js';
import {
  otherCanonical,
  otherPublicKey,
  otherSha256,
  otherSign,
  otherVerify,
} from './support/second-implementation.js';

const seed = fc.uint8Array({ minLength: 32, maxLength: 32 });

/** Documents of each comparison; the long run takes ten times as many. */
const TIMES = process.env.LONG_TESTS ? 10 : 1;

test('canonical form and hash of thousands of documents agree with canonicalize and node:crypto', () => {
  let seen = 0;
  fc.assert(
    fc.property(arbitraryJson, (document) => {
      seen++;
      const text = otherCanonical(document);
      expect(canonical(document)).toBe(text);
      expect(hash(document)).toBe(otherSha256(text));
      // The canonical form of what it says is itself.
      expect(canonical(readJson(text) as Json)).toBe(text);
    }),
    { numRuns: 2_500 * TIMES },
  );
  expect(seen).toBeGreaterThanOrEqual(2_500 * TIMES);
});

test('whatever parseJson accepts has one canonical form, however it was written', () => {
  fc.assert(
    fc.property(arbitraryJson, (document) => {
      let parsed: unknown;
      try {
        parsed = parseJson(JSON.stringify(document, null, 1), { depth: 64, values: 10_000 });
      } catch (error) {
        expect((error as { reason?: string }).reason).toBe('api.body-malformed');
        return;
      }
      expect(canonical(parsed as JsonObject)).toBe(otherCanonical(document));
    }),
    { numRuns: 1_000 * TIMES },
  );
});

test('proofs of documents agree with node:crypto', () => {
  const custom = fc.option(arbitraryJson.filter(isObject), { nil: undefined });
  fc.assert(
    fc.property(arbitraryJson, custom, seed, (data, custom, secret) => {
      const of = hash(data);
      const key = otherPublicKey(secret);
      expect(portable.publicKey(secret)).toEqual(Uint8Array.from(key));
      const proof = signProof({ hash: of, custom, secret, public: encodeBase64(key) });

      expect(proof.digest).toBe(otherSha256(custom === undefined ? of : of + otherCanonical(custom)));
      const message = Buffer.from(proof.digest, 'hex');
      expect(proof.result).toBe(Buffer.from(otherSign(message, secret)).toString('base64'));
      expect(otherVerify(Buffer.from(proof.result, 'base64'), message, key)).toBe(true);
      expect(verifyProof(of, proof)).toBe(true);
    }),
    { numRuns: 100 * TIMES },
  );
});

test('one changed bit of a signature, message or key is refused, as node:crypto does', () => {
  const bit = fc.nat({ max: 255 });
  fc.assert(
    fc.property(
      seed,
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      bit,
      fc.nat({ max: 2 }),
      (secret, message, bit, which) => {
        const parts = [portable.sign(message, secret), Uint8Array.from(message), portable.publicKey(secret)] as const;
        const part = parts[which]!;
        part[bit >> 3]! ^= 1 << (bit & 7);
        expect(portable.verify(...parts)).toBe(false);
        expect(otherVerify(...parts)).toBe(false);
      },
    ),
    { numRuns: 30 * TIMES },
  );
});

test('a digest counts the hash in lower case', () => {
  const of = hash({ handle: 'a' });
  expect(digest(of.toUpperCase(), { a: 1 })).toBe(digest(of, { a: 1 }));
});
