import { type KeyObject, sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import type { JsonObject } from '@countersign/protocol';
import { createWeightedSemaphore } from '../base/weighted-semaphore.js';
import { tokenLimits } from './token-limits.js';

const signInPool = promisify(sign);

/**
 * Signatures under way. A key that was judged signs within some tens of milliseconds, so two of the four threads are always
 * left to others, and one ledger holds one of the two.
 */
const signaturesUnderWay = createWeightedSemaphore({
  ...tokenLimits.rsaSignatures,
  late: 'Other signatures took too long. Retry later.',
});

/**
 * A token in compact form, signed by RS256 (RFC 7515, section 7.1).
 *
 * @param ledger id of the ledger that it is for
 * @throws Overloaded when too many of the ledger wait; `api.request-timeout` when it waited too long
 */
export async function signRs256(
  ledger: number,
  key: KeyObject,
  header: JsonObject,
  claims: JsonObject,
): Promise<string> {
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = await signaturesUnderWay(ledger, 1, () => signInPool('sha256', Buffer.from(text), key));
  return `${text}.${signature.toString('base64url')}`;
}

/**
 * Whether the key made the signature by RS256. It is computed at once, beside the pool of threads: the public exponent is
 * short, so it takes a fifth of a millisecond.
 */
export function isRs256SignedBy(key: KeyObject, signed: Uint8Array, signature: Uint8Array): boolean {
  return verify('sha256', signed, key, signature);
}
