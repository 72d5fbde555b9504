import { decodeBase64, encodeBase64 } from './base64.js';
import { digest } from './hash.js';
import { decodeHex } from './hex.js';
import { isObject, type JsonObject } from './json.js';
import type { Proof } from './records.js';
import { portable, type Suite } from './suite.js';

/** The only signature method: plain Ed25519 over the 32 bytes of the digest (interface/envelope#hash-and-digest). */
export const PROOF_METHOD = 'ed25519-v2';

/** Source of a pattern for a hash or digest as clients may send it (interface/envelope#hash-and-digest). */
export const HASH_PATTERN = '^[A-Fa-f0-9]{64}$';

const HASH_FORM = new RegExp(HASH_PATTERN);

/** What `signProof` signs, and with which key. */
export interface ProofInput {
  /** The hash of the signed data, 64 hex characters. */
  readonly hash: string;
  readonly custom?: JsonObject | undefined;
  /** The 32-byte seed. */
  readonly secret: Uint8Array;
  /** Base64 of the public key that belongs to `secret`; passed in because deriving it costs as much as signing. */
  readonly public: string;
}

/**
 * A proof over a hash and its custom data (interface/envelope#hash-and-digest).
 *
 * @throws TypeError unless `hash` is 64 hex characters and `custom` is JSON
 */
export function signProof(input: ProofInput, suite: Suite = portable): Proof {
  if (!HASH_FORM.test(input.hash)) throw new TypeError('A hash has 64 hex characters');
  const text = digest(input.hash, input.custom, suite);
  const result = encodeBase64(suite.sign(decodeHex(text)!, input.secret));
  const proof: Proof = { method: PROOF_METHOD, public: input.public, digest: text, result };
  if (input.custom !== undefined) proof.custom = input.custom;
  return proof;
}

/**
 * Whether `proof` signs `hash` (interface/envelope#hash-and-digest): the method is known, the digest (hex of either
 * case) is that of the hash and the custom data, and the signature is the key's. Returns false for malformed input
 * instead of throwing. Ignores the members that the server adds to a stored proof.
 */
export function verifyProof(hash: string, proof: Proof, suite: Suite = portable): boolean {
  if (!HASH_FORM.test(hash) || !isObject(proof) || proof.method !== PROOF_METHOD) return false;
  const key = decodeExactLength(proof.public, 32);
  const signature = decodeExactLength(proof.result, 64);
  const signed = typeof proof.digest === 'string' ? proof.digest.toLowerCase() : '';
  if (key === undefined || signature === undefined) return false;
  if (proof.custom !== undefined && !isObject(proof.custom)) return false;
  try {
    return digest(hash, proof.custom, suite) === signed && suite.verify(signature, decodeHex(signed)!, key);
  } catch {
    // `digest` throws for custom data that JSON excludes.
    return false;
  }
}

/** The bytes of canonical base64 `text`, when there are exactly `length` of them. */
function decodeExactLength(text: unknown, length: number): Uint8Array | undefined {
  // The length is checked first, so that a long text is cheap to refuse.
  if (typeof text !== 'string' || text.length !== Math.ceil(length / 3) * 4) return undefined;
  const bytes = decodeBase64(text);
  return bytes?.length === length ? bytes : undefined;
}
