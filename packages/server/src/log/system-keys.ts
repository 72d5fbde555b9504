import { encodeBase64, type Suite } from '@countersign/protocol';
import { cacheLimits, LruCache } from '../base/lru-cache.js';
import type { Keyring } from '../keys/keyring.js';
import { sealContext } from '../keys/seal.js';
import type { ServerKey } from '../keys/signing-key.js';
import type { SealedSystemKey } from '../store/queries/ledgers.js';

/** The key of a ledger's `system` signer; undefined where the private key is missing (export#import). */
export type SystemKeyOf = (ledger: number) => Promise<ServerKey | undefined>;

/** Opens the keys that checkpoints are signed with, and keeps those in use. */
export function createSystemKeyOf(
  keys: Keyring,
  suite: Suite,
  find: (ledger: number) => Promise<SealedSystemKey | undefined>,
): SystemKeyOf {
  const known = new LruCache<number, ServerKey>(cacheLimits.ledgers);
  return async (ledger) => {
    const kept = known.get(ledger);
    if (kept) return kept;
    const found = await find(ledger);
    if (!found) return undefined;
    const secret = keys.open(found.sealed, sealContext(found.ledger, found.luid, found.name));
    const key = { secret, public: encodeBase64(suite.publicKey(secret)) };
    known.set(ledger, key);
    return key;
  };
}
