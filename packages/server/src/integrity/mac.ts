import { createHmac, hash } from 'node:crypto';
import type { Place, StoredVersion } from '../store/queries/version.js';

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
  const hmac = createShortHmac(createHmac('sha256', masterKey).update('countersign:versions:1').digest());
  return ({ ledger, kind }, { luid, change, action, body }) =>
    // No line ends within the first line: where it ends is never in doubt.
    hmac(`${JSON.stringify([ledger, kind, luid, change, action])}\n${body}`).toString('base64url', 0, BYTES);
}

/** Bytes of a block of SHA-256, and of its result. */
const BLOCK = 64;
const RESULT = 32;

/** Characters of a text that is written into one buffer that is kept. */
const SHORT = 32_768;

/**
 * HMAC-SHA-256 (RFC 2104) of many texts under one key. Node.js makes an object for each `createHmac`, which its garbage
 * collector has to see to: of a list of records that is more than the hashing.
 *
 * @param key of 64 bytes at most
 */
function createShortHmac(key: Buffer): (text: string) => Buffer {
  const inner = Buffer.alloc(BLOCK + 3 * SHORT);
  const outer = Buffer.alloc(BLOCK + RESULT);
  for (let at = 0; at < BLOCK; at += 1) {
    inner[at] = (key[at] ?? 0) ^ 0x36;
    outer[at] = (key[at] ?? 0) ^ 0x5c;
  }
  return (text) => {
    if (text.length > SHORT) return createHmac('sha256', key).update(text).digest();
    const end = BLOCK + inner.write(text, BLOCK);
    hash('sha256', inner.subarray(0, end), 'buffer').copy(outer, BLOCK);
    return hash('sha256', outer, 'buffer');
  };
}
