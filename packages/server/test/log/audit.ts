import { decodeBase64 } from '@countersign/protocol';
import {
  commitmentOf,
  entryOf,
  HASH_BYTES,
  hashesAt,
  leafHash,
  noteKey,
  openCheckpoint,
  RightEdge,
  rootOf,
  SALT_BYTES,
  TILE_WIDTH,
} from '@countersign/protocol/log';
import pg from 'pg';
import { expect } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { sha256 } from '../../src/base/sha256.js';
import { RESTART } from '../../src/log/restart.js';
import { eventually } from '../support/eventually.js';

/** A leaf of a log, with what it is about. */
interface Leaf {
  readonly index: number;
  readonly luid: string;
  readonly change: number;
  readonly commitment: Buffer;
  /** Null of a change that is erased. */
  readonly salt: Buffer | null;
}

/**
 * Waits until all that is stored is sealed, and audits the logs of all ledgers.
 *
 * @param only handle of the ledger that is looked at, where files share a server: others stop logs, and change rows
 */
export async function auditLogs(databaseUrl: string, only?: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await eventually(async () => {
      const { rows } = await client.query(
        `with waiting as (select ledger_id from unsealed union all select ledger_id from log_backfill)
         select count(*)::int as left from waiting w join ledger l on l.id = w.ledger_id where $1::text is null or l.handle = $1`,
        [only],
      );
      expect(rows[0].left).toBe(0);
    });
    const { rows } = await client.query(
      `select id, luid from ledger where $1::text is null or handle = $1 order by id`,
      [only],
    );
    for (const { id, luid } of rows) await auditLog(client, id, luid);
  } finally {
    await client.end();
  }
}

/**
 * Holds a log against the history: each change is exactly one leaf, which commits to it; nothing is left of that of an erased
 * one but the commitment, and a later change says so; a record's leaves are in the order of its changes; the tiles and the signed checkpoint are of the tree of these leaves.
 */
async function auditLog(client: pg.Client, ledger: string, ledgerLuid: string): Promise<void> {
  const leaves = await readLeaves(client, ledger);
  expect(leaves.map(({ index }) => index)).toEqual(leaves.map((_, at) => at));
  const { rows: changes } = await client.query(
    `select luid, change, kind, action, body from version where ledger_id = $1 order by luid, change`,
    [ledger],
  );
  const {
    rows: [{ generation, predecessor }],
  } = await client.query(`select generation, predecessor from log where ledger_id = $1`, [ledger]);
  const restarts = leaves.filter(({ luid }) => luid === RESTART);
  expect(restarts.map(({ index, change }) => [index, change])).toEqual(generation === 1 ? [] : [[0, generation]]);
  for (const { salt, commitment } of restarts) {
    if (salt === null) throw new Error('The first leaf has lost its salt.');
    const place = { ledger: ledgerLuid, kind: 'log', luid: ledgerLuid, change: generation, action: 'restart' };
    expect(commitment.equals(commitmentOf({ salt, ...place, text: predecessor }, sha256))).toBe(true);
  }
  expect(changes.length).toBe(leaves.length - restarts.length);
  const indexes = new Map(leaves.map((leaf) => [`${leaf.luid}/${leaf.change}`, leaf]));
  const erased = new Map(changes.flatMap(({ luid, change, action }) => (action === 'erase' ? [[luid, change]] : [])));
  let before: Leaf | undefined;
  for (const { luid, change, kind, action, body: text } of changes) {
    const leaf = indexes.get(`${luid}/${change}`);
    expect(leaf, `leaf of change ${change} of ${luid}`).toBeDefined();
    const { salt, commitment } = leaf!;
    const isErased = change < (erased.get(luid) ?? 0);
    expect([text === null, salt === null], `text and salt of change ${change} of ${luid}`).toEqual([
      isErased,
      isErased,
    ]);
    if (salt !== null) {
      const made = commitmentOf({ salt, ledger: ledgerLuid, kind, luid, change, action, text }, sha256);
      expect(commitment.equals(made), `commitment to change ${change} of ${luid}`).toBe(true);
    }
    if (before?.luid === luid) expect(leaf!.index).toBeGreaterThan(before!.index);
    before = leaf;
  }
  await auditTree(client, ledger, leaves);
}

async function auditTree(client: pg.Client, ledger: string, leaves: readonly Leaf[]): Promise<void> {
  const hashes = leaves.map(({ commitment }) => leafHash(entryOf(commitment), sha256));
  const { rows } = await client.query('select origin, checkpoint, size::int as size from log where ledger_id = $1', [
    ledger,
  ]);
  const { rows: signers } = await client.query(
    `select v.body as system from version v join record r using (ledger_id, luid, change)
     where r.ledger_id = $1 and r.kind = 'signer' and r.handle = 'system'`,
    [ledger],
  );
  const [{ origin, checkpoint: note, size }] = rows;
  const [{ system }] = signers;
  const key = noteKey(origin, 'note', decodeBase64(JSON.parse(system).data.public)!);
  const { checkpoint } = openCheckpoint(note, [key], native);
  expect(size).toBe(leaves.length);
  expect(checkpoint.size).toBe(leaves.length);
  expect(Buffer.from(checkpoint.root)).toEqual(Buffer.from(rootOf(hashes, sha256)));
  const { rows: tiles } = await client.query(
    `select level, n::int as n, length(hashes) as length, hashes from log_tile where ledger_id = $1 order by level, n`,
    [ledger],
  );
  let level = hashes.map((hash) => Buffer.from(hash));
  for (let at = 0; hashesAt(at, size) > 0; at += 1) {
    const stored = tiles.filter((tile) => tile.level === at);
    const whole = at === 0 ? Math.floor(level.length / TILE_WIDTH) * TILE_WIDTH : level.length;
    expect(Buffer.concat(stored.map((tile) => tile.hashes)).equals(Buffer.concat(level.slice(0, whole)))).toBe(true);
    level = Array.from({ length: hashesAt(at + 1, size) }, (_, tile) =>
      Buffer.from(rootOf(level.slice(tile * TILE_WIDTH, (tile + 1) * TILE_WIDTH), sha256)),
    );
  }
}

async function readLeaves(client: pg.Client, ledger: string): Promise<Leaf[]> {
  const { rows } = await client.query(
    `select luid, change, first::int as first, commitments, salts from log_leaf where ledger_id = $1 order by first`,
    [ledger],
  );
  return rows.flatMap(({ luid, change, first, commitments, salts }) => {
    const count = commitments.length / HASH_BYTES;
    return Array.from({ length: count }, (_, at) => ({
      index: first + at,
      luid,
      change: change - count + 1 + at,
      commitment: commitments.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
      salt: salts === null ? null : salts.subarray(at * SALT_BYTES, (at + 1) * SALT_BYTES),
    }));
  });
}

/** The roots of the trees of all logs, at every size that they had, by origin: in base64. */
export async function rootsOf(databaseUrl: string): Promise<(origin: string, size: number) => string | undefined> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const roots = new Map<string, string[]>();
  try {
    const { rows } = await client.query('select ledger_id, origin from log');
    for (const { ledger_id, origin } of rows) {
      const edge = new RightEdge(0, [], sha256);
      const all = [Buffer.from(edge.root()).toString('base64')];
      for (const { commitment } of await readLeaves(client, ledger_id)) {
        edge.append(leafHash(entryOf(commitment), sha256));
        all.push(Buffer.from(edge.root()).toString('base64'));
      }
      roots.set(origin, all);
    }
  } finally {
    await client.end();
  }
  return (origin, size) => roots.get(origin)?.[size];
}
