import { createHmac, createSecretKey } from 'node:crypto';
import type { Place, StoredVersion } from '../store/version.js';

/** Bytes of a code: what is guessed once in 2^128 times. */
const BYTES = 16;

/** What a code is made of. */
export type Coded = Pick<StoredVersion, 'luid' | 'change' | 'action' | 'body'>;

/** Makes the authentication code of a version: 22 characters of base64url. */
export type Mac = (place: Pick<Place, 'ledger' | 'kind'>, version: Coded) => string;

/**
 * Message authentication codes for stored versions: HMAC-SHA-256 under a key that is derived from the master key, which
 * is not in the database. A code covers the text that is served, `meta` included, and where it belongs: ledger, kind, luid,
 * number and action. Whoever can write to the database, and has not the master key, can make none.
 *
 * @param masterKey 32 bytes
 */
export function createMac(masterKey: Buffer): Mac {
  const key = createSecretKey(createHmac('sha256', masterKey).update('countersign:versions:1').digest());
  return ({ ledger, kind }, { luid, change, action, body }) =>
    createHmac('sha256', key)
      // No line ends within the first line: where it ends is never in doubt.
      .update(`${JSON.stringify([ledger, kind, luid, change, action])}\n`)
      .update(body)
      .digest()
      .toString('base64url', 0, BYTES);
}
