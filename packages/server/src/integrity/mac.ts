import { createHmac, hash } from 'node:crypto';
import type { NewDelivery } from '../store/committer/write.js';
import type { StoredVersion, VersionSource } from '../store/queries/version.js';

/** Bytes of a code: a guess succeeds once in 2^128 times. */
const CODE_BYTES = 16;

/** What a code covers, beside the place. */
export type CodedVersion = Pick<StoredVersion, 'luid' | 'change' | 'action' | 'body'>;

/** Makes the authentication code of a version: 22 characters of base64url. */
export type Mac = (place: Pick<VersionSource, 'ledger' | 'kind'>, version: CodedVersion) => string;

/** What the code of a delivery is made of: all that was decided when it was queued. */
export type CodedDelivery = Omit<NewDelivery, 'mac'>;

/** Makes the authentication code of a delivery. */
export type DeliveryMac = (ledger: number, delivery: CodedDelivery) => string;

/**
 * Codes for deliveries, under a key of their own: whoever can write to the database makes no event that the ledger signs.
 *
 * @param codes 32 bytes, of the keyring
 */
export function createDeliveryMac(codes: Buffer): DeliveryMac {
  const hmac = createShortHmac(createHmac('sha256', codes).update('countersign:deliveries:1').digest());
  return (ledger, { handle, purpose, entry = null, ...delivery }) => {
    const { effect = null, effectHandle = null, effectChange = null, effectDomain = null, ...others } = delivery;
    const { bridge = null, target, record, linked = null, event } = others;
    const about = [effect, effectHandle, effectChange, effectDomain];
    // Events have codes of before there were calls.
    const call = purpose === undefined ? [] : [purpose, entry];
    const parts = [ledger, handle, ...about, bridge, target, record, linked, event, ...call];
    return hmac(JSON.stringify(parts));
  };
}

/** Makes the authentication code of the state of an open intent. */
export type OpenMac = (ledger: number, luid: string, state: string) => string;

/**
 * Codes for the states of intents, under a key of their own: whoever can write to the database decides on no intent.
 *
 * @param codes 32 bytes, of the keyring
 */
export function createOpenMac(codes: Buffer): OpenMac {
  const hmac = createShortHmac(createHmac('sha256', codes).update('countersign:intents:1').digest());
  return (ledger, luid, state) => hmac(JSON.stringify([ledger, luid, state]));
}

/**
 * The key of the codes of versions: 32 bytes that are derived from the key of the codes, which the database has under the master key only.
 *
 * @param codes 32 bytes, of the keyring
 */
export function versionKeyOf(codes: Buffer): Buffer {
  return createHmac('sha256', codes).update('countersign:versions:1').digest();
}

/**
 * Makes the authentication codes of versions, as `createMacUnder` does.
 *
 * @param codes 32 bytes, which the key is derived from
 */
export function createMac(codes: Buffer): Mac {
  return createMacUnder(versionKeyOf(codes));
}

/**
 * Makes authentication codes of stored versions: HMAC-SHA-256. A code covers the text that is served, `meta` included, and its
 * place: ledger, kind, luid, number and action. Write access to the database is not enough to make one: it takes this key.
 *
 * @param key 32 bytes, from `versionKeyOf`
 */
export function createMacUnder(key: Buffer): Mac {
  const hmac = createShortHmac(key);
  return ({ ledger, kind }, { luid, change, action, body }) =>
    // JSON escapes line breaks, so the first one ends the place: its end is unambiguous.
    hmac(`${JSON.stringify([ledger, kind, luid, change, action])}\n${body}`);
}

/** Bytes of a block of SHA-256, and of its result. */
const SHA256_BLOCK = 64;
const SHA256_BYTES = 32;

/** Characters of a text that fits into the reused buffer. */
const SHORT_INPUT = 32_768;

/**
 * HMAC-SHA-256 (RFC 2104) of many texts under one key, each cut to the 16 bytes of a code. Each `createHmac` of Node.js makes
 * an object for the garbage collector, and each result that is a buffer another; over a list of records that costs more
 * than the hashing.
 *
 * @param key of 64 bytes at most
 * @param form of the codes: 22 characters of base64url, or 32 of hex
 * @param short characters of a text that fits into the buffer, which the function keeps
 */
export function createShortHmac(
  key: Buffer,
  form: 'base64url' | 'hex' = 'base64url',
  short = SHORT_INPUT,
): (text: string) => string {
  const inner = Buffer.alloc(SHA256_BLOCK + 3 * short);
  const outer = Buffer.alloc(SHA256_BLOCK + SHA256_BYTES);
  const result = Buffer.alloc(SHA256_BYTES);
  for (let at = 0; at < SHA256_BLOCK; at += 1) {
    inner[at] = (key[at] ?? 0) ^ 0x36;
    outer[at] = (key[at] ?? 0) ^ 0x5c;
  }
  return (text) => {
    if (text.length > short) return createHmac('sha256', key).update(text).digest().toString(form, 0, CODE_BYTES);
    const end = SHA256_BLOCK + inner.write(text, SHA256_BLOCK);
    outer.write(hash('sha256', inner.subarray(0, end), 'binary'), SHA256_BLOCK, 'binary');
    result.write(hash('sha256', outer, 'binary'), 'binary');
    return result.toString(form, 0, CODE_BYTES);
  };
}
