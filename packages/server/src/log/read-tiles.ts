import { HASH_BYTES, hashesAt, TILE_WIDTH, type Tile } from '@countersign/protocol/log';
import { readCommitments, readTiles } from '../store/log/sealing.js';
import type { Queryable } from '../store/queries/statement.js';
import { hashesOf } from './tree-rows.js';

/**
 * The hashes of some tiles of a tree. Those at the lowest level that are not full are made of their leaves.
 *
 * @returns undefined for a tile that is not there
 */
export async function readStoredTiles(
  on: Queryable,
  ledger: number,
  tiles: readonly Tile[],
): Promise<(Uint8Array | undefined)[]> {
  const isStored = ({ level, width }: Tile) => level > 0 || width === TILE_WIDTH;
  const stored = await readTiles(on, ledger, tiles.filter(isStored));
  return Promise.all(
    tiles.map(async (tile) => {
      const { level, index, width } = tile;
      const hashes = isStored(tile)
        ? stored.find((one) => one.level === level && one.index === index)?.hashes
        : await readLeafHashes(on, ledger, index * TILE_WIDTH, index * TILE_WIDTH + width);
      return hashes && hashes.length >= width * HASH_BYTES ? hashes.subarray(0, width * HASH_BYTES) : undefined;
    }),
  );
}

async function readLeafHashes(on: Queryable, ledger: number, from: number, to: number): Promise<Uint8Array> {
  return Buffer.concat(hashesOf(await readCommitments(on, ledger, from, to)));
}

/** Whether a tile is in a tree of `size` leaves. */
export function isInTree({ level, index, width }: Tile, size: number): boolean {
  return index * TILE_WIDTH + width <= hashesAt(level, size);
}

/** Whether a tile has all that a tree of `size` leaves has of it. */
export function isWholeTile({ level, index, width }: Tile, size: number): boolean {
  return width === TILE_WIDTH || index * TILE_WIDTH + width === hashesAt(level, size);
}
