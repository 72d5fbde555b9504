import type { Suite } from '@countersign/protocol';
import { partialTiles } from '@countersign/protocol/log';
import type pg from 'pg';
import type { LogCodes } from '../integrity/log-leaves.js';
import type { Queued } from '../store/log/queue.js';
import { type LeafRow, type SealedLog, type StoredLog, type StoredTile, storeSealed } from '../store/log/sealing.js';
import { signCheckpoint } from './checkpoint.js';
import { readStoredTiles } from './read-tiles.js';
import type { SystemKeyOf } from './system-keys.js';
import { fillsTile, placeLeaves, readEdge, tilesToStore } from './tree-rows.js';

/** What checkpoints are signed with, and the database's rows coded. */
export interface Signs {
  readonly suite: Suite;
  readonly systemKey: SystemKeyOf;
  readonly logCodes: LogCodes;
}

/**
 * Adds leaves to logs that the transaction has locked: leaves, tiles and the new checkpoints are stored.
 *
 * @param queued of all logs, each in its order
 * @returns how many leaves, and the sizes that logs have now, by ledger
 * @throws AlteredLeaves
 */
export async function appendLeaves(
  signs: Signs,
  client: pg.PoolClient,
  logs: readonly StoredLog[],
  queued: readonly Queued[],
): Promise<{ count: number; sizes: ReadonlyMap<number, number> }> {
  const leaves: LeafRow[] = [];
  const tiles: StoredTile[] = [];
  const sealed: SealedLog[] = [];
  let count = 0;
  for (const log of logs) {
    const { rows, hashes } = placeLeaves(
      log.size,
      queued.filter(({ ledger }) => ledger === log.ledger),
      signs.logCodes,
    );
    if (hashes.length === 0) continue;
    if (fillsTile(log.size, hashes.length)) tiles.push(...(await growTiles(client, log, hashes)));
    sealed.push(await sealLog(signs, log, hashes));
    leaves.push(...rows);
    count += hashes.length;
  }
  if (sealed.length > 0) await storeSealed(client, leaves, tiles, sealed);
  return { count, sizes: new Map(sealed.map(({ ledger, size }) => [ledger, size])) };
}

async function sealLog(
  { suite, systemKey, logCodes }: Signs,
  log: StoredLog,
  hashes: readonly Uint8Array[],
): Promise<SealedLog> {
  const edge = readEdge(log);
  for (const hash of hashes) edge.append(hash);
  const key = await systemKey(log.ledger);
  if (!key) throw new Error(`The system key of ledger ${log.luid} is missing.`);
  const checkpoint = await signCheckpoint(log.origin, edge, key, suite);
  const tree = { size: edge.size, edge: Buffer.concat(edge.hashes), checkpoint };
  return { ledger: log.ledger, ...tree, mac: logCodes.tree(log.ledger, { ...log, ...tree }) };
}

async function growTiles(client: pg.PoolClient, { ledger, size }: StoredLog, hashes: readonly Uint8Array[]) {
  const growing = partialTiles(size);
  const found = await readStoredTiles(client, ledger, growing);
  const grown = growing.map((tile, at) => {
    const hashes = found[at];
    if (!hashes) throw new Error(`Tile ${tile.index} of level ${tile.level} is missing from the log.`);
    return { tile, hashes };
  });
  return tilesToStore(size, grown, hashes).map((row) => ({ ledger, ...row }));
}
