import {
  consistencyProof,
  inclusionProof,
  type Tile,
  TileNodes,
  tilesForConsistency,
  tilesForInclusion,
} from '@countersign/protocol/log';
import { LruCache } from '../base/lru-cache.js';
import { sha256 } from '../base/sha256.js';
import type { Queryable } from '../store/queries/statement.js';
import { logLimits } from './log-limits.js';
import { readStoredTiles } from './read-tiles.js';

/** A tree that is shown. */
export interface TreeOf {
  readonly ledger: number;
  readonly origin: string;
  readonly size: number;
}

/** Proofs about the tree of a log. Hashes have 32 bytes. */
export type LogProofs = ReturnType<typeof createProofs>;

/** What a tile takes in memory beside its nodes, about. */
const TILE_OVERHEAD = 700;

/**
 * Makes proofs of the tiles that are stored. Those of proofs of inclusion are kept with all their nodes, as long as there is
 * room: every proof takes the tiles at the top and at the edge, and hashing them is most of its work.
 */
export function createProofs(on: Queryable) {
  const kept = new LruCache<string, TileNodes>(logLimits.nodes, ({ bytes }) => bytes + TILE_OVERHEAD);

  return {
    /**
     * The proof that the tree has the leaf at `index`.
     *
     * @param anew whether all tiles are read anew, as when a proof of kept ones does not hold
     */
    async inclusion(tree: TreeOf, index: number, anew: boolean = false): Promise<Uint8Array[]> {
      const { ledger, origin, size } = tree;
      const tiles = tilesForInclusion(index, size);
      const keyOf = ({ level, index, width }: Tile) => `${ledger} ${origin} ${level}/${index}/${width}`;
      const known = new Map(tiles.map((tile) => [tileKey(tile), anew ? undefined : kept.get(keyOf(tile))]));
      const missing = tiles.filter((tile) => !known.get(tileKey(tile)));
      const hashes = await readWhole(on, ledger, missing);
      for (const [at, tile] of missing.entries()) {
        // What the driver gives is a part of all that it has read.
        const nodes = new TileNodes(new Uint8Array(hashes[at]!), sha256);
        kept.set(keyOf(tile), nodes);
        known.set(tileKey(tile), nodes);
      }
      return inclusionProof(index, size, async (level, index) => known.get(tileKey({ level, index }))!, sha256);
    },
    /** The proof that the tree of `size` leaves begins with that of `old` leaves. */
    async consistency(ledger: number, old: number, size: number): Promise<Uint8Array[]> {
      const tiles = tilesForConsistency(old, size);
      const hashes = await readWhole(on, ledger, tiles);
      const known = new Map(tiles.map((tile, at) => [tileKey(tile), hashes[at]!]));
      return consistencyProof(old, size, async (level, index) => known.get(tileKey({ level, index }))!, sha256);
    },
  };
}

function tileKey({ level, index }: Pick<Tile, 'level' | 'index'>): string {
  return `${level}/${index}`;
}

/** The hashes of tiles, all of them by two queries at most. @throws Error when one is missing */
async function readWhole(on: Queryable, ledger: number, tiles: readonly Tile[]): Promise<Uint8Array[]> {
  if (tiles.length === 0) return [];
  const found = await readStoredTiles(on, ledger, tiles);
  return tiles.map(({ level, index }, at) => {
    const hashes = found[at];
    if (!hashes) throw new Error(`Tile ${index} of level ${level} is missing from the log.`);
    return hashes;
  });
}
