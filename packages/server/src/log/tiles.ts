import {
  type EntryTile,
  entryOf,
  formatBundle,
  formatEntriesPath,
  formatTilePath,
  HASH_BYTES,
  TILE_WIDTH,
  type Tile,
} from '@countersign/protocol/log';
import { LruCache } from '../base/lru-cache.js';
import { sha256 } from '../base/sha256.js';
import { findServedLog, readCommitments } from '../store/log/sealing.js';
import type { Queryable } from '../store/queries/statement.js';
import { logLimits } from './log-limits.js';
import type { ShownCheckpoint } from './publish.js';
import { isInTree, isWholeTile, readStoredTiles } from './read-tiles.js';

/** A tile or an entry bundle as it is served, and forever so. */
export interface ServedTile {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

/** What a tile takes in memory beside its bytes, about. */
const TILE_ENTRY_BYTES = 500;

/** Runs reads of a ledger's log, a few at a time. */
export type InTurn = <T>(ledger: number, work: () => Promise<T>) => Promise<T>;

/**
 * Serves the tiles of logs, and the entries below them. It keeps them in memory as long as there is room: what is in a tree
 * never changes.
 */
export function createTiles(on: Queryable, inTurn: InTurn) {
  const kept = new LruCache<string, ServedTile>(logLimits.tiles, ({ bytes }) => bytes.length + TILE_ENTRY_BYTES);

  /** @returns undefined where the log has begun anew meanwhile */
  const served = async (
    ledger: number,
    { origin, size }: Pick<ShownCheckpoint, 'origin' | 'size'>,
    tile: Tile,
    path: string,
    read: () => Promise<Uint8Array>,
  ): Promise<ServedTile | undefined> => {
    const key = `${ledger} ${origin} ${path}`;
    const known = kept.get(key);
    if (known) return known;
    const bytes = await inTurn(ledger, read);
    if ((await findServedLog(on, ledger))?.origin !== origin) return undefined;
    const made = { bytes, etag: `"${Buffer.from(sha256(bytes)).toString('base64url')}"` };
    // A tile has 255 beginnings: those of a small log would push out the tiles of all others.
    if (isWholeTile(tile, size)) kept.set(key, made);
    return made;
  };

  return {
    /** A tile of a tree that is shown; undefined where it is not in that tree. */
    async tile(ledger: number, shown: ShownCheckpoint, tile: Tile): Promise<ServedTile | undefined> {
      if (!isInTree(tile, shown.size)) return undefined;
      return served(ledger, shown, tile, formatTilePath(tile), async () => {
        const [hashes] = await readStoredTiles(on, ledger, [tile]);
        if (!hashes) throw new Error(`Tile ${tile.index} of level ${tile.level} is missing from the log.`);
        return hashes;
      });
    },
    /** Entries of a tree that is shown; undefined where they are not in that tree. */
    async entries(ledger: number, shown: ShownCheckpoint, tile: EntryTile): Promise<ServedTile | undefined> {
      const place = { level: 0, ...tile };
      if (!isInTree(place, shown.size)) return undefined;
      return served(ledger, shown, place, formatEntriesPath(tile), async () => {
        const from = tile.index * TILE_WIDTH;
        const commitments = await readCommitments(on, ledger, from, from + tile.width);
        if (commitments.length !== tile.width * HASH_BYTES)
          throw new Error(`Leaves from ${from} on are missing from the log.`);
        const entries = Array.from({ length: tile.width }, (_, at) =>
          entryOf(commitments.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)),
        );
        return formatBundle(entries);
      });
    },
  };
}

/** Leaves of the smallest tree that has a tile. */
export function leavesFor({ level, index, width }: Tile): number {
  return (index * TILE_WIDTH + width) * TILE_WIDTH ** level;
}
