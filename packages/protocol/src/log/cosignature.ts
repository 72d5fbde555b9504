import { portable, type Suite } from '../suite.js';
import { join } from './hashing.js';
import type { NoteKey, SignBytes } from './key.js';
import type { NoteSignature } from './note.js';
import { utf8, whole } from './text.js';

/** Bytes of the time before a cosignature. */
const TIME_BYTES = 8;

/**
 * Cosigns the text of a checkpoint at a time (C2SP tlog-cosignature, type 0x04).
 *
 * @param text the checkpoint without signatures; it ends with a newline
 * @param time Unix time in seconds
 * @throws TypeError when the key is not for cosignatures
 * @throws RangeError unless `time` is a whole number from 1 on
 */
export async function cosign(text: string, time: number, key: NoteKey, sign: SignBytes): Promise<NoteSignature> {
  if (key.use !== 'cosignature') throw new TypeError('the key is not for cosignatures');
  whole(time, 'time', 1);
  const signature = await sign(bytesToCosign(text, time));
  return { name: key.name, id: key.id, signature: join([encodeTime(time), signature]) };
}

/**
 * The Unix time in seconds at which the key cosigned the text; undefined unless the line holds a cosignature by it.
 *
 * @param signature the time in eight bytes, the greatest first, and the 64 bytes of Ed25519
 */
export function verifyCosignature(
  text: string,
  signature: Uint8Array,
  key: NoteKey,
  suite: Pick<Suite, 'verify'> = portable,
): number | undefined {
  const time = decodeTime(signature.subarray(0, TIME_BYTES));
  if (key.use !== 'cosignature' || !Number.isSafeInteger(time) || time === 0) return undefined;
  const verified = suite.verify(signature.subarray(TIME_BYTES), bytesToCosign(text, time), key.publicKey);
  return verified ? time : undefined;
}

function bytesToCosign(text: string, time: number): Uint8Array {
  return utf8(`cosignature/v1\ntime ${time}\n${text}`);
}

function encodeTime(time: number): Uint8Array {
  const bytes = new Uint8Array(TIME_BYTES);
  let rest = time;
  for (let at = TIME_BYTES - 1; at >= 0; at--) {
    bytes[at] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return bytes;
}

function decodeTime(bytes: Uint8Array): number {
  return bytes.reduce((time, byte) => time * 256 + byte, 0);
}
