import { encodeBase64 } from '../base64.js';
import { decodeHex, encodeHex } from '../hex.js';
import { LOG_BOUNDS } from './bounds.js';
import { LogError } from './fault.js';
import { join, portableSha256 } from './hashing.js';
import { boundedText, parseBase64, refuseControls, utf8 } from './text.js';

/** What a key signs: the text of a note (`note`, type 0x01), or a timestamped cosignature (`cosignature`, type 0x04). */
export const KEY_TYPES = { note: 0x01, cosignature: 0x04 } as const;

/** The use of a key, which its id depends on. */
export type KeyUse = keyof typeof KEY_TYPES;

/** A verifier key of C2SP signed-note: an Ed25519 key, and the name that it signs under. */
export interface NoteKey {
  readonly name: string;
  readonly use: KeyUse;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** Four bytes in lower-case hex: the beginning of SHA-256 over the name, a newline, the type and the key. */
  readonly id: string;
}

/** Signs bytes with Ed25519: 64 bytes, now or later. The secret stays with the caller. */
export type SignBytes = (message: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** Bytes of an id in a signature line. */
export const ID_BYTES = 4;
const KEY_BYTES = 32;
const NOT_IN_NAMES = /[\p{White_Space}+]/u;

/**
 * The key of this name.
 *
 * @throws LogError `malformed` when the name is empty, or has white space or a plus; `too-long`
 * @throws TypeError unless the key has 32 bytes
 */
export function noteKey(name: string, use: KeyUse, publicKey: Uint8Array): NoteKey {
  if (publicKey.length !== KEY_BYTES) throw new TypeError('a public key has 32 bytes');
  refuseName(name);
  const hash = portableSha256(join([utf8(`${name}\n`), Uint8Array.of(KEY_TYPES[use]), publicKey]));
  return { name, use, publicKey, id: encodeHex(hash.subarray(0, ID_BYTES)) };
}

/** The key as text: `name+id+base64`, of its type and its bytes (C2SP signed-note). */
export function formatVkey({ name, use, publicKey, id }: NoteKey): string {
  return `${name}+${id}+${encodeBase64(join([Uint8Array.of(KEY_TYPES[use]), publicKey]))}`;
}

/**
 * The key that a text says.
 *
 * @throws LogError `malformed` when it is no key of a type known here, or the id is another's; `too-long`
 */
export function parseVkey(vkey: string): NoteKey {
  const [name, id, encoded, ...more] = boundedText(vkey, LOG_BOUNDS.vkey, 'a verifier key').split('+');
  // The name has no plus, but base64 does.
  const bytes = parseBase64([encoded ?? '', ...more].join('+'), 'a verifier key');
  const use = (Object.keys(KEY_TYPES) as KeyUse[]).find((name) => KEY_TYPES[name] === bytes[0]);
  if (use === undefined || bytes.length !== 1 + KEY_BYTES)
    throw keyError('is not an Ed25519 key for notes or cosignatures');
  const key = noteKey(name!, use, bytes.subarray(1));
  if (id !== key.id) throw keyError('has the id of another');
  return key;
}

/** @throws LogError unless `name` may be the name of a key */
export function refuseName(name: string): void {
  refuseControls(boundedText(name, LOG_BOUNDS.name, 'the name of a key'), 'the name of a key');
  if (name === '' || NOT_IN_NAMES.test(name)) throw new LogError('malformed', 'a key has no such name');
}

/** The id and the signature in the bytes of a signature line. */
export function splitId(bytes: Uint8Array): { id: string; signature: Uint8Array } {
  return { id: encodeHex(bytes.subarray(0, ID_BYTES)), signature: bytes.slice(ID_BYTES) };
}

/** The bytes of a signature line. */
export function joinId(id: string, signature: Uint8Array): Uint8Array {
  return join([decodeHex(id)!, signature]);
}

function keyError(why: string): LogError {
  return new LogError('malformed', `a verifier key ${why}`);
}
