import { createHmac } from 'node:crypto';
import { createShortHmac } from './mac.js';

/** The name that the use of a proof has once its record is erased: 32 hex digits. */
export type Veil = (use: string) => string;

/**
 * Names of used proofs under a key that is derived from the master key. The plain names (records/proofs.ts, `useOf`) are
 * hashes over what was signed: whoever guesses that can tell that it was right. These tell nothing without the master key,
 * and still keep a signed body from being sent again.
 *
 * @param masterKey 32 bytes
 */
export function createVeil(masterKey: Buffer): Veil {
  const key = createHmac('sha256', masterKey).update('countersign:erased-proofs:1').digest();
  return createShortHmac(key, 'hex');
}
