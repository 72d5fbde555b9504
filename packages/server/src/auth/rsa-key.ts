import { cacheLimits, LruCache } from '../base/lru-cache.js';
import { keyLimits } from '../untrusted-keys/key-limits.js';
import { type RsaVerifyingKey, readRsaPublicKey } from '../untrusted-keys/public-key.js';
import { UnusableKey } from '../untrusted-keys/unusable-key.js';

/**
 * What became of keys, by their text, so that a changed key is another entry. One for each ledger a process keeps; longer
 * texts than a key are not kept.
 */
const imported = new LruCache<string, { readonly key: RsaVerifyingKey | undefined }>(cacheLimits.ledgers);

/**
 * The RSA key that `text` holds, base64 of SPKI DER (interface/signers#key-pairs); undefined unless it is fit for
 * RS256.
 */
export function rsaKey(text: string): RsaVerifyingKey | undefined {
  if (text.length > keyLimits.publicKey) return undefined;
  return imported.getOrSet(text, () => ({ key: judgeRsaKey(text) })).key;
}

function judgeRsaKey(text: string): RsaVerifyingKey | undefined {
  try {
    return readRsaPublicKey(text);
  } catch (error) {
    if (error instanceof UnusableKey) return undefined;
    throw error;
  }
}
