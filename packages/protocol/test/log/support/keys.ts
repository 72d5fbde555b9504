import { portable } from '../../../src/index.js';
import { type KeyUse, type NoteKey, noteKey, type SignBytes } from '../../../src/log/index.js';

/** A key with its secret, made of one byte. */
export function testKey(name: string, use: KeyUse, byte: number): { key: NoteKey; sign: SignBytes } {
  const secret = new Uint8Array(32).fill(byte);
  return { key: noteKey(name, use, portable.publicKey(secret)), sign: (message) => portable.sign(message, secret) };
}

export const ORIGIN = 'ledger.example/log/ldg.-1AbCdEfGhIjKlMnOp';
export const log = testKey(ORIGIN, 'note', 1);
export const otherLog = testKey('other.example/log', 'note', 2);
export const witnesses = [3, 4, 5].map((byte) => testKey(`witness${byte}.example/w`, 'cosignature', byte));
