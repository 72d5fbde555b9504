import {
  HASH_BYTES,
  hashesAt,
  leafHashOf,
  RightEdge,
  SALT_BYTES,
  TILE_WIDTH,
  type Tile,
  type TileRow,
  tilesAfter,
} from '@countersign/protocol/log';
import { sha256 } from '../base/sha256.js';
import type { LogCodes } from '../integrity/log-leaves.js';
import type { Queued } from '../store/log/queue.js';
import type { LeafRow, StoredLog } from '../store/log/sealing.js';

/** Leaves that are added to a log together. */
export interface LeafBatch {
  readonly rows: readonly LeafRow[];
  /** Hashes of the leaves, 32 bytes each. */
  readonly hashes: readonly Uint8Array[];
}

/** Bytes of a leaf as it is queued: its salt, then its commitment. */
const LEAF_BYTES = SALT_BYTES + HASH_BYTES;

/** Leaves in the queue are not those that a server has put there: somebody has altered the database. */
export class AlteredLeaves extends Error {}

/**
 * Gives leaves their places, in the order of the queue.
 *
 * @param size leaves that the log has
 * @throws AlteredLeaves
 */
export function placeLeaves(size: number, queued: readonly Queued[], codes: LogCodes): LeafBatch {
  const rows: LeafRow[] = [];
  const hashes: Uint8Array[] = [];
  for (const { ledger, luids, changes, leaves, isClosed } of queued) {
    for (const [at, luid] of luids.entries()) {
      const change = changes[at]!;
      const bytes = codes.openLeaves(ledger, { luid, change }, leaves[at]!);
      if (!bytes || bytes.length === 0 || bytes.length % LEAF_BYTES > 0)
        throw new AlteredLeaves(`The leaves of change ${change} of ${luid} were altered in the queue.`);
      const { salts, commitments } = splitLeaves(bytes);
      rows.push({ ledger, luid, change, first: size + hashes.length, salts: isClosed ? null : salts, commitments });
      hashes.push(...hashesOf(commitments));
    }
  }
  return { rows, hashes };
}

/** Hashes of leaves by their commitments, 32 bytes each. */
export function hashesOf(commitments: Uint8Array): Uint8Array[] {
  return Array.from({ length: commitments.length / HASH_BYTES }, (_, at) =>
    leafHashOf(commitments.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES), sha256),
  );
}

function splitLeaves(bytes: Buffer): { salts: Buffer; commitments: Buffer } {
  // Most writes store one version.
  if (bytes.length === LEAF_BYTES)
    return { salts: bytes.subarray(0, SALT_BYTES), commitments: bytes.subarray(SALT_BYTES) };
  const starts = Array.from({ length: bytes.length / LEAF_BYTES }, (_, at) => at * LEAF_BYTES);
  return {
    salts: Buffer.concat(starts.map((start) => bytes.subarray(start, start + SALT_BYTES))),
    commitments: Buffer.concat(starts.map((start) => bytes.subarray(start + SALT_BYTES, start + LEAF_BYTES))),
  };
}

/** The edge of a log as it is stored. @throws RangeError when it does not fit the size */
export function readEdge({ size, edge }: Pick<StoredLog, 'size' | 'edge'>): RightEdge {
  const hashes = Array.from({ length: edge.length / HASH_BYTES }, (_, at) =>
    edge.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );
  return new RightEdge(size, hashes, sha256);
}

/** Whether the leaves fill a tile of the lowest level: tiles are stored then, and need their beginnings. */
export function fillsTile(size: number, added: number): boolean {
  return hashesAt(1, size + added) > hashesAt(1, size);
}

/**
 * The tiles to store once leaves are added: those that are full, and above the lowest level those that have grown. What
 * grows at the lowest level is made of the leaves (`log_leaf`).
 *
 * @param size leaves before
 * @param grown the tiles that were not full before, `growingTiles(size)`, with their hashes
 * @throws RangeError when these do not fit the size
 */
export function tilesToStore(
  size: number,
  grown: readonly { readonly tile: Tile; readonly hashes: Uint8Array }[],
  hashes: readonly Uint8Array[],
): TileRow[] {
  const rows: Uint8Array[] = [];
  for (let level = 0; hashesAt(level, size) > 0; level += 1) {
    rows[level] = grown.find(({ tile }) => tile.level === level)?.hashes ?? new Uint8Array(0);
  }
  return tilesAfter({ size, rows }, hashes, sha256).rows.filter(
    ({ level, hashes }) => level > 0 || hashes.length === TILE_WIDTH * HASH_BYTES,
  );
}
