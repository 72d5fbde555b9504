import { createPublicKey, type KeyObject } from 'node:crypto';
import { LruCache } from '../base/lru-cache.js';
import { limits } from '../limits.js';

/** Bits: RS256 requires at least the first (RFC 7518 §3.3); a key beyond the second would make every check slow. */
const MODULUS = { least: 2048, greatest: 8192 };

/** Characters of base64: a key of the greatest size has 1,416. */
const MAX_KEY_TEXT = 2048;

/** By the text of the key, so that a changed key is another entry. One for each ledger a process keeps. */
const imported = new LruCache<string, { readonly key: KeyObject | undefined }>(limits.ledgers.count);

/**
 * The RSA key that `text` holds, base64 of SPKI DER (interface/signers#key-pairs); undefined unless it is fit for
 * RS256.
 */
export function rsaKey(text: string): KeyObject | undefined {
  if (text.length > MAX_KEY_TEXT) return undefined;
  return imported.getOrSet(text, () => ({ key: importKey(text) })).key;
}

function importKey(text: string): KeyObject | undefined {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
  if (key.asymmetricKeyType !== 'rsa') return undefined;
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  return bits >= MODULUS.least && bits <= MODULUS.greatest ? key : undefined;
}
