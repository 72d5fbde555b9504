import { LOG_BOUNDS } from './bounds.js';
import { LogError } from './fault.js';
import { TILE_WIDTH } from './tiles.js';

const LONGEST_ENTRY = 0xffff;

/**
 * An entry bundle (C2SP tlog-tiles): each entry after its length, two bytes with the greater first.
 *
 * @throws RangeError for more than 256 entries, or an entry of more than 65,535 bytes
 */
export function formatBundle(entries: readonly Uint8Array[]): Uint8Array {
  if (entries.length > TILE_WIDTH || entries.some(({ length }) => length > LONGEST_ENTRY)) {
    throw new RangeError('a bundle has at most 256 entries of at most 65,535 bytes');
  }
  const bundle = new Uint8Array(entries.reduce((bytes, { length }) => bytes + 2 + length, 0));
  let at = 0;
  for (const entry of entries) {
    bundle[at] = entry.length >> 8;
    bundle[at + 1] = entry.length & 0xff;
    bundle.set(entry, at + 2);
    at += 2 + entry.length;
  }
  return bundle;
}

/**
 * The entries of a bundle.
 *
 * @throws LogError `too-long` for more than 256 entries; `malformed` when the last one is cut off
 */
export function parseBundle(bundle: Uint8Array): Uint8Array[] {
  if (bundle.length > LOG_BOUNDS.bundle) throw new LogError('too-long', 'a bundle has more than 256 entries');
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bundle.length; ) {
    if (entries.length === TILE_WIDTH) throw new LogError('too-long', 'a bundle has more than 256 entries');
    const from = at + 2;
    const end = from + ((bundle[at]! << 8) | (bundle[at + 1] ?? 0));
    if (from > bundle.length || end > bundle.length) throw new LogError('malformed', 'the last entry is cut off');
    entries.push(bundle.slice(from, end));
    at = end;
  }
  return entries;
}
