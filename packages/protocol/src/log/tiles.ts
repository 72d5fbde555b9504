import { RightEdge } from './edge.js';
import { HASH_BYTES, join, portableSha256, type Sha256, subtreeRoot } from './hashing.js';
import { whole } from './text.js';

/** Hashes of a full tile (C2SP tlog-tiles). */
export const TILE_WIDTH = 256;

/** Levels of a tile within the tree: a full tile is a subtree of this height. */
export const TILE_HEIGHT = 8;

/** A tile: `width` hashes of level `8 * level` of the tree, those from `256 * index` on (C2SP tlog-tiles). */
export interface Tile {
  readonly level: number;
  readonly index: number;
  /** From 1 to 256, which is a full tile. */
  readonly width: number;
}

/** A tile with its hashes: 32 bytes each, so 8192 of a full one. */
export interface TileRow {
  readonly level: number;
  readonly index: number;
  readonly hashes: Uint8Array;
}

/** The tiles of a tree that are still to be filled: with its size, all that adding leaves takes. */
export interface Growing {
  /** Leaves of the tree. */
  readonly size: number;
  /** For each level, from the lowest, the hashes of its last tile; no bytes where that is full. */
  readonly rows: readonly Uint8Array[];
}

/** The growing tiles of the tree without leaves. */
export const NOTHING_GROWN: Growing = { size: 0, rows: [] };

/** How many hashes the tiles of a level hold in a tree of `size` leaves. */
export function hashesAt(level: number, size: number): number {
  return Math.floor(size / TILE_WIDTH ** level);
}

/**
 * The tiles that are not full in a tree of `size` leaves, at most one a level: what to read to go on from there.
 *
 * @throws RangeError unless `size` is a whole number
 */
export function partialTiles(size: number): Tile[] {
  const tiles: Tile[] = [];
  for (let level = 0; hashesAt(level, whole(size, 'size')) > 0; level++) {
    const hashes = hashesAt(level, size);
    const width = hashes % TILE_WIDTH;
    if (width > 0) tiles.push({ level, index: Math.floor(hashes / TILE_WIDTH), width });
  }
  return tiles;
}

/**
 * Adds leaves to a tree: the rows of tiles that change, and what grows afterwards. A row that changes begins with the
 * hashes that it had. `before` stays as it is, so that a transaction that fails leaves nothing behind.
 *
 * @param leaves hashes of leaves, 32 bytes each
 * @returns `rows`, by level and index, each of 32 to 8192 bytes, and `after`
 * @throws RangeError when the rows of `before` do not fit its size, or a hash has not 32 bytes
 */
export function tilesAfter(
  before: Growing,
  leaves: readonly Uint8Array[],
  sha: Sha256 = portableSha256,
): { rows: TileRow[]; after: Growing } {
  assertEdge(before);
  if (leaves.some(({ length }) => length !== HASH_BYTES)) throw new RangeError('a hash has 32 bytes');
  const rows: TileRow[] = [];
  const grown = [...before.rows];
  let added = leaves;
  for (let level = 0; added.length > 0; level++) {
    const full: Uint8Array[] = [];
    const hashes = join([grown[level] ?? new Uint8Array(0), ...added]);
    let index = Math.floor(hashesAt(level, before.size) / TILE_WIDTH);
    grown[level] = new Uint8Array(0);
    for (let at = 0; at < hashes.length; at += TILE_WIDTH * HASH_BYTES, index++) {
      const row = hashes.slice(at, at + TILE_WIDTH * HASH_BYTES);
      rows.push({ level, index, hashes: row });
      if (row.length === TILE_WIDTH * HASH_BYTES) full.push(subtreeRoot(row, sha));
      else grown[level] = row;
    }
    added = full;
  }
  return { rows, after: { size: before.size + leaves.length, rows: grown } };
}

/**
 * The right edge of the tree that grows so, which has its root.
 *
 * @throws RangeError when the rows do not fit the size
 */
export function edgeOf(growing: Growing, sha: Sha256 = portableSha256): RightEdge {
  assertEdge(growing);
  const subtrees: Uint8Array[] = [];
  for (const row of growing.rows.toReversed()) {
    let at = 0;
    for (let width = TILE_WIDTH / 2; width >= 1; width /= 2) {
      const end = at + width * HASH_BYTES;
      if (end > row.length) continue;
      subtrees.push(subtreeRoot(row.subarray(at, end), sha));
      at = end;
    }
  }
  return new RightEdge(growing.size, subtrees, sha);
}

function assertEdge({ size, rows }: Growing): void {
  whole(size, 'size');
  const levels = rows.length;
  const fits = rows.every((row, level) => row.length === (hashesAt(level, size) % TILE_WIDTH) * HASH_BYTES);
  if (!fits || hashesAt(levels, size) > 0) throw new RangeError(`these rows are not of a tree of ${size} leaves`);
}
