import { LogError } from './fault.js';
import { HASH_BYTES, joinRight, portableSha256, type Sha256, subtreeRoot } from './hashing.js';
import { whole } from './text.js';
import { TileNodes } from './tile-nodes.js';
import { hashesAt, TILE_HEIGHT, TILE_WIDTH, type Tile } from './tiles.js';

/**
 * Reads a tile of the tree that a proof is about: `width` hashes of 32 bytes, or more of the same tile. The width is
 * the one that the tile has in that tree, by which static files name it. Whoever keeps tiles keeps them as `TileNodes`.
 */
export type ReadTile = (level: number, index: number, width: number) => Promise<Uint8Array | TileNodes>;

/** Leaves from `start` up to `end`, which is not one of them. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** The complete subtree of `2 ** height` leaves from `index * 2 ** height` on. */
interface Subtree {
  readonly height: number;
  readonly index: number;
}

/** The tiles that `inclusionProof` reads, each once. @throws RangeError unless `index` is below `size` */
export function tilesForInclusion(index: number, size: number): Tile[] {
  return tilesOf(inclusionRanges(index, size), size);
}

/** The tiles that `consistencyProof` reads, each once. @throws RangeError when `old` is above `size` */
export function tilesForConsistency(old: number, size: number): Tile[] {
  return tilesOf(consistencyRanges(old, size), size);
}

/**
 * The proof that the leaf at `index` is in the tree of `size` leaves (RFC 6962 §2.1.1): at most 53 hashes of 32 bytes,
 * those nearest to the leaf first. All tiles are asked for at once.
 *
 * @throws RangeError unless `index` is below `size`
 * @throws LogError `malformed` when a tile is shorter than asked for
 */
export function inclusionProof(
  index: number,
  size: number,
  read: ReadTile,
  sha: Sha256 = portableSha256,
): Promise<Uint8Array[]> {
  return readProof(inclusionRanges(index, size), size, read, sha);
}

/**
 * The proof that the tree of `size` leaves begins with the tree of `old` leaves (RFC 6962 §2.1.2). It is empty for trees
 * of the same size, and for an old one without leaves. All tiles are asked for at once.
 *
 * @throws RangeError when `old` is above `size`
 * @throws LogError `malformed` when a tile is shorter than asked for
 */
export function consistencyProof(
  old: number,
  size: number,
  read: ReadTile,
  sha: Sha256 = portableSha256,
): Promise<Uint8Array[]> {
  return readProof(consistencyRanges(old, size), size, read, sha);
}

function inclusionRanges(index: number, size: number): Range[] {
  if (whole(index, 'index') >= whole(size, 'size'))
    throw new RangeError(`a tree of ${size} leaves has none at ${index}`);
  const ranges: Range[] = [];
  let start = 0;
  let end = size;
  while (end - start > 1) {
    const middle = start + greatestPowerBelow(end - start);
    if (index < middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  return ranges.reverse();
}

function consistencyRanges(old: number, size: number): Range[] {
  if (whole(old, 'old') > whole(size, 'size'))
    throw new RangeError(`a tree of ${size} leaves has no older one of ${old}`);
  if (old === 0) return [];
  const ranges: Range[] = [];
  let start = 0;
  let end = size;
  while (old < end) {
    const middle = start + greatestPowerBelow(end - start);
    if (old <= middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  // A subtree from the first leaf on is the old tree itself, whose root the reader has.
  if (start > 0) ranges.push({ start, end });
  return ranges.reverse();
}

async function readProof(ranges: readonly Range[], size: number, read: ReadTile, sha: Sha256): Promise<Uint8Array[]> {
  const tiles = tilesOf(ranges, size);
  const found = await Promise.all(tiles.map(({ level, index, width }) => read(level, index, width)));
  const byPlace = new Map<string, Uint8Array | TileNodes>();
  for (const [at, { level, index, width }] of tiles.entries()) {
    const tile = found[at]!;
    if ((tile instanceof TileNodes ? tile.width : tile.length / HASH_BYTES) < width) {
      throw new LogError('malformed', `tile ${index} of level ${level} has fewer than ${width} hashes`);
    }
    byPlace.set(`${level}/${index}`, tile);
  }
  const hashOf = (subtree: Subtree) => {
    const { level, index, at, width } = tileOfSubtree(subtree);
    const tile = byPlace.get(`${level}/${index}`)!;
    if (tile instanceof TileNodes) return tile.rootOf(at, width);
    return subtreeRoot(tile.subarray(at * HASH_BYTES, (at + width) * HASH_BYTES), sha);
  };
  return ranges.map((range) => joinRight(subtreesOf(range).map(hashOf), sha));
}

/** The tiles that hold the subtrees, each as wide as it is in the tree. */
function tilesOf(ranges: readonly Range[], size: number): Tile[] {
  const tiles = new Map<string, Tile>();
  for (const subtree of ranges.flatMap(subtreesOf)) {
    const { level, index } = tileOfSubtree(subtree);
    const width = Math.min(TILE_WIDTH, hashesAt(level, size) - index * TILE_WIDTH);
    tiles.set(`${level}/${index}`, { level, index, width });
  }
  return [...tiles.values()];
}

/** The tile that holds the hashes below a subtree, and where: `width` hashes from `at` on. */
function tileOfSubtree({ height, index }: Subtree): { level: number; index: number; at: number; width: number } {
  const level = Math.floor(height / TILE_HEIGHT);
  const width = 2 ** (height % TILE_HEIGHT);
  const at = index * width;
  return { level, index: Math.floor(at / TILE_WIDTH), at: at % TILE_WIDTH, width };
}

/** The complete subtrees of a range, the greatest first; its start is a multiple of the greatest. */
function subtreesOf({ start, end }: Range): Subtree[] {
  const subtrees: Subtree[] = [];
  let from = start;
  while (from < end) {
    let height = 0;
    while (2 ** (height + 1) <= end - from) height++;
    subtrees.push({ height, index: from / 2 ** height });
    from += 2 ** height;
  }
  return subtrees;
}

/** The greatest power of two below `count`, which is at least 2. */
function greatestPowerBelow(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}
