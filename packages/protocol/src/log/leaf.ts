import { encodeBase64 } from '../base64.js';
import { join, portableSha256, type Sha256 } from './hashing.js';
import { whole, withUtf8 } from './text.js';

/** What a leaf commits to: one change of a record, as it is served. */
export interface LeafFields {
  /** 16 random bytes, of this change alone: whoever lacks them cannot try texts. */
  readonly salt: Uint8Array;
  /** The luid of the ledger. */
  readonly ledger: string;
  /** The kind of the record, such as `wallet`. */
  readonly kind: string;
  /** The luid of the record. */
  readonly luid: string;
  /** The number of the change in the history of the record. */
  readonly change: number;
  /** What was done, such as `create`. */
  readonly action: string;
  /** The record as served after the change, with its proofs, to the byte. */
  readonly text: string | Uint8Array;
}

/** Bytes of a salt. */
export const SALT_BYTES = 16;
/** Bytes of an entry: its version and a commitment. */
export const ENTRY_BYTES = 33;

const LEAF_VERSION = 'countersign/leaf/v1';
const ENTRY_VERSION = 1;

/**
 * The blinded commitment to a change: 32 bytes, SHA-256 of eight lines. The first six are
 * `countersign/leaf/v1`, base64 of the salt, the luid of the ledger, the kind, the luid of the record, the number of the
 * change; then the action, and the served text without a newline after it. No field but the last may hold a newline,
 * so no two changes have the same bytes.
 *
 * @throws TypeError unless the salt has 16 bytes, each field is one line, and the text is Unicode
 * @throws RangeError unless `change` is a whole number
 */
export function commitmentOf(leaf: LeafFields, sha: Sha256 = portableSha256): Uint8Array {
  const { salt, ledger, kind, luid, change, action, text } = leaf;
  if (salt.length !== SALT_BYTES) throw new TypeError(`a salt has ${SALT_BYTES} bytes`);
  for (const field of [ledger, kind, luid, action]) {
    if (field === '' || field.includes('\n')) throw new TypeError('a field of a leaf is one line');
  }
  const place = [LEAF_VERSION, encodeBase64(salt), ledger, kind, luid, String(whole(change, 'change')), action, ''];
  const head = place.join('\n');
  return typeof text === 'string' ? withUtf8(head + text, sha) : withUtf8(head, (bytes) => sha(join([bytes, text])));
}

/**
 * The entry of the log for a commitment of 32 bytes: the byte 0x01, then the commitment.
 *
 * @throws TypeError unless it has 32 bytes
 */
export function entryOf(commitment: Uint8Array): Uint8Array {
  assertCommitment(commitment);
  return Uint8Array.of(ENTRY_VERSION, ...commitment);
}

/** What is hashed of a leaf: a zero byte and the entry (RFC 6962 §2.1). One after the other is written here. */
const hashed = Uint8Array.of(0, ENTRY_VERSION, ...new Uint8Array(ENTRY_BYTES - 1));

/**
 * The hash of the leaf for a commitment of 32 bytes, which is `leafHash(entryOf(commitment))` without arrays of their own.
 *
 * @throws TypeError unless it has 32 bytes
 */
export function leafHashOf(commitment: Uint8Array, sha: Sha256 = portableSha256): Uint8Array {
  assertCommitment(commitment);
  hashed.set(commitment, 2);
  return sha(hashed);
}

function assertCommitment(commitment: Uint8Array): void {
  if (commitment.length !== ENTRY_BYTES - 1) throw new TypeError('a commitment has 32 bytes');
}
