import type { Side } from './plan.js';

const ALPHANUMERICS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Characters of a handle that the ledger makes: as many as the second part of a luid has. */
const LENGTH = 17;

/** Bytes from here on are left out: the others stand for each character equally often. */
const FAIR = 256 - (256 % ALPHANUMERICS.length);

/** Source of random bytes. */
export type Random = (bytes: number) => Uint8Array;

/** 17 letters and digits, each as likely as the others. */
export function makeHandle(random: Random): string {
  let handle = '';
  while (handle.length < LENGTH) {
    for (const byte of random(LENGTH - handle.length)) {
      if (byte < FAIR) handle += ALPHANUMERICS[byte % ALPHANUMERICS.length];
    }
  }
  return handle;
}

/** The handle of an entry, or of several that are grouped (interface/intents#entries). */
export function makeEntryHandle(side: Side, random: Random): string {
  return `${side === 'debit' ? 'deb' : 'cre'}_${makeHandle(random)}`;
}
