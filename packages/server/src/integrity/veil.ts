import { createHmac } from 'node:crypto';
import type { Keyring } from '../keys/keyring.js';
import { sealContext } from '../keys/seal.js';
import { VEIL_SECRET } from '../store/queries/secrets.js';
import { createShortHmac } from './mac.js';

/** The name that the use of a proof, or a handle, has once its record is erased: 32 hex digits. */
export type Veil = (use: string) => string;

/** Longest text that is veiled without making an object of it, in characters. */
const SHORT_NAME = 1024;

/**
 * Names of used proofs, and of records, under the key of a ledger. The plain names (records/proofs.ts, `useOf`) are hashes
 * over what was signed: whoever guesses that can tell that it was right. These tell nothing without the key, and still
 * keep a signed body from being sent again.
 */
export function createVeil(key: Buffer): Veil {
  return createShortHmac(key, 'hex', SHORT_NAME);
}

/**
 * The key under which a ledger keeps such names. It is derived from the key of the codes, for each ledger its own: an export takes
 * it along, and says nothing of others by that. What was veiled cannot be veiled anew, so a ledger that was imported keeps
 * the key that it came with.
 *
 * @param ledger its luid
 * @param sealed the key that it came with, sealed by the master key
 * @throws Error when that does not open
 */
export function veilKeyOf(keys: Keyring, ledger: string, sealed: Buffer | undefined): Buffer {
  if (sealed) return keys.open(sealed, sealContext(ledger, ledger, VEIL_SECRET));
  const all = createHmac('sha256', keys.codes).update('countersign:erased-proofs:2').digest();
  return createHmac('sha256', all).update(ledger).digest();
}
