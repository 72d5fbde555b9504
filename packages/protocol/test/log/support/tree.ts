import { createHash } from 'node:crypto';
import { leafHash, NOTHING_GROWN, type ReadTile, TileNodes, tilesAfter } from '../../../src/log/index.js';

/** SHA-256 by Node.js, so that what is expected comes from elsewhere than what is tested. */
export function sha(...parts: Uint8Array[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}

/** What RFC 6962 §2.1 says of a list of hashes of leaves, as it is written there; `from` and `to` bound a part of it. */
export class NaiveTree {
  readonly #leaves: readonly Uint8Array[];
  readonly #known = new Map<string, Uint8Array>();

  constructor(leaves: readonly Uint8Array[]) {
    this.#leaves = leaves;
  }

  /** MTH (§2.1). What was worked out once is kept. */
  root(to: number, from = 0): Uint8Array {
    if (to === from) return sha();
    if (to - from === 1) return this.#leaves[from]!;
    const part = `${from} ${to}`;
    const split = from + splitOf(to - from);
    if (!this.#known.has(part))
      this.#known.set(part, sha(Uint8Array.of(1), this.root(split, from), this.root(to, split)));
    return this.#known.get(part)!;
  }

  /** PATH (§2.1.1). */
  path(index: number, to: number, from = 0): Uint8Array[] {
    if (to - from <= 1) return [];
    const split = from + splitOf(to - from);
    return index < split
      ? [...this.path(index, split, from), this.root(to, split)]
      : [...this.path(index, to, split), this.root(split, from)];
  }

  /** SUBPROOF (§2.1.2); of a whole tree it is PROOF. */
  consistency(old: number, to: number, from = 0, isWhole = true): Uint8Array[] {
    if (old === to) return isWhole ? [] : [this.root(to, from)];
    const split = from + splitOf(to - from);
    return old <= split
      ? [...this.consistency(old, split, from, isWhole), this.root(to, split)]
      : [...this.consistency(old, to, split, false), this.root(split, from)];
  }
}

function splitOf(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}

/** The entry at each position of the logs of these tests: 33 bytes. */
export function entryAt(index: number): Uint8Array {
  const entry = new Uint8Array(33);
  entry[0] = 1;
  entry.set(sha(new TextEncoder().encode(`entry ${index}`)), 1);
  return entry;
}

/** The hashes of the first `count` leaves. */
export function leavesTo(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => leafHash(entryAt(index)));
}

/** The tiles of a log that grew in batches of these sizes, as a server stores them: growing rows are overwritten. */
export function grow(leaves: readonly Uint8Array[], batches: readonly number[]) {
  const stored = new Map<string, Uint8Array>();
  let growing = NOTHING_GROWN;
  for (const batch of batches) {
    const { rows, after } = tilesAfter(growing, leaves.slice(growing.size, growing.size + batch));
    for (const { level, index, hashes } of rows) stored.set(`${level}/${index}`, hashes);
    growing = after;
  }
  return { stored, growing };
}

/** Reads stored tiles to the width that is asked for, and counts. */
export function readerOf(stored: ReadonlyMap<string, Uint8Array>, asked: string[] = []): ReadTile {
  return async (level, index, width) => {
    asked.push(`${level}/${index}/${width}`);
    const hashes = stored.get(`${level}/${index}`);
    if (hashes === undefined || hashes.length < width * 32) throw new Error(`no tile ${level}/${index} of ${width}`);
    return hashes.slice(0, width * 32);
  };
}

/** Reads stored tiles as those who keep them have them. */
export function nodesOf(stored: ReadonlyMap<string, Uint8Array>): ReadTile {
  const read = readerOf(stored);
  return async (level, index, width) => new TileNodes((await read(level, index, width)) as Uint8Array);
}

/** The bytes with one bit of them turned. */
export function turned(bytes: Uint8Array, bit = 0): Uint8Array {
  const other = bytes.slice();
  other[bit >> 3]! ^= 1 << (bit & 7);
  return other;
}
