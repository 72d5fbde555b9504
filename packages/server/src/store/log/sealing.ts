import { isDistributed } from '../nodes/distribution.js';
import { ofReachable, readReachable } from '../nodes/reachable.js';
import { bytesArray, textArray } from '../parameters.js';
import type { Queryable } from '../queries/statement.js';

/** The log of a ledger as the database has it. */
export interface StoredLog {
  readonly ledger: number;
  /** Luid of the ledger. */
  readonly luid: string;
  readonly generation: number;
  readonly origin: string;
  readonly size: number;
  /** Roots of the full subtrees, 32 bytes each, largest first. */
  readonly edge: Buffer;
  readonly checkpoint: string | null;
  /** Authentication code of the others (integrity/log-leaves.ts). */
  readonly mac: string | null;
}

/** Leaves of consecutive changes of one record, as they are kept. */
export interface LeafRow {
  readonly ledger: number;
  readonly luid: string;
  /** Number of the last of these changes. */
  readonly change: number;
  /** Index of the first leaf. */
  readonly first: number;
  /** 32 bytes of each leaf, and 16 bytes; null where their texts are erased. */
  readonly commitments: Buffer;
  readonly salts: Buffer | null;
}

/** A tile that is new, or has grown. */
export interface StoredTile {
  readonly ledger: number;
  readonly level: number;
  readonly index: number;
  readonly hashes: Uint8Array;
}

/** A log as a seal leaves it. */
export interface SealedLog {
  readonly ledger: number;
  readonly size: number;
  readonly edge: Uint8Array;
  readonly checkpoint: string;
  readonly mac: string;
}

/** Luids of ledgers. */
export async function readLuids(
  on: Queryable,
  ledgers: readonly number[],
): Promise<{ ledger: number; luid: string }[]> {
  const { rows } = await on.query<{ ledger: number; luid: string }>({
    name: 'log-luids',
    text: 'select id as ledger, luid from ledger where id = any($1::bigint[]) order by id',
    values: [ledgers],
  });
  return rows;
}

/** A log that is to begin. */
interface NewLog {
  readonly ledger: number;
  readonly origin: string;
  readonly mac: string;
}

/** Begins the logs of ledgers that have none; in a cluster each by a statement of its own, which one node runs. */
export async function beginLogs(on: Queryable, logs: readonly NewLog[]): Promise<void> {
  if (await isDistributed(on)) {
    for (const { ledger, origin, mac } of logs)
      await on.query({
        name: 'log-begin-one',
        text: `insert into log (ledger_id, generation, origin, size, edge, mac) values ($1, 1, $2, 0, '', $3)
          on conflict do nothing`,
        values: [ledger, origin, mac],
      });
    return;
  }
  await on.query({
    name: 'log-begin',
    text: `insert into log (ledger_id, generation, origin, size, edge, mac)
      select ledger, 1, origin, 0, '', mac from unnest($1::bigint[], $2::text[], $3::text[]) as x (ledger, origin, mac)
      on conflict do nothing`,
    values: [logs.map(({ ledger }) => ledger), logs.map(({ origin }) => origin), logs.map(({ mac }) => mac)],
  });
}

/** Locks the logs of some ledgers until the transaction ends, leaving out those that another process has locked. */
export async function lockLogs(client: Queryable, ledgers: readonly number[]): Promise<StoredLog[]> {
  const { rows } = await client.query<StoredLog>({
    name: 'log-lock',
    text: `select g.ledger_id as ledger, l.luid, g.generation, g.origin, g.size, g.edge, g.checkpoint, g.mac
      from log g join ledger l on l.id = g.ledger_id
      where g.ledger_id = any($1::bigint[]) and g.stopped is null
      order by g.ledger_id for no key update of g skip locked`,
    values: [ledgers],
  });
  return rows;
}

/** A log as it is shown. */
export interface ServedLog extends StoredLog {
  /** The newest checkpoint whose cosignatures meet the policy; null without witnesses. */
  readonly cosigned: string | null;
  readonly stopped: string | null;
}

/** The log of a ledger; undefined where none was begun. */
export async function findServedLog(on: Queryable, ledger: number): Promise<ServedLog | undefined> {
  const { rows } = await on.query<ServedLog>({
    name: 'log-read',
    text: `select g.ledger_id as ledger, l.luid, g.generation, g.origin, g.size, g.edge, g.checkpoint, g.mac, g.cosigned, g.stopped
      from log g join ledger l on l.id = g.ledger_id where g.ledger_id = $1`,
    values: [ledger],
  });
  return rows[0];
}

/** Commitments of the leaves from `from` up to `to`, which is not one of them: 32 bytes each, in their order. */
export async function readCommitments(on: Queryable, ledger: number, from: number, to: number): Promise<Buffer> {
  const { rows } = await on.query<{ first: number; commitments: Buffer }>({
    name: 'log-commitments',
    text: `select first, commitments from log_leaf
      where ledger_id = $1 and first < $3
        and first >= (select first from log_leaf where ledger_id = $1 and first <= $2 order by first desc limit 1)
      order by first`,
    values: [ledger, from, to],
  });
  const [head] = rows;
  if (!head) return Buffer.alloc(0);
  const all = Buffer.concat(rows.map(({ commitments }) => commitments));
  return all.subarray((from - head.first) * COMMITMENT, (to - head.first) * COMMITMENT);
}

const COMMITMENT = 32;

/** The hashes of some tiles, as far as they are stored. */
export async function readTiles(
  on: Queryable,
  ledger: number,
  tiles: readonly { readonly level: number; readonly index: number }[],
): Promise<StoredTile[]> {
  if (tiles.length === 0) return [];
  const { rows } = await on.query<StoredTile>({
    name: 'log-tiles',
    text: `select t.ledger_id as ledger, t.level, t.n as index, t.hashes
      from unnest($2::smallint[], $3::bigint[]) as w (level, n)
        join log_tile t on t.ledger_id = $1 and t.level = w.level and t.n = w.n`,
    values: [ledger, tiles.map(({ level }) => level), tiles.map(({ index }) => index)],
  });
  return rows;
}

/** Stores what was sealed, in the transaction that has locked the logs. */
export async function storeSealed(
  client: Queryable,
  leaves: readonly LeafRow[],
  tiles: readonly StoredTile[],
  logs: readonly SealedLog[],
): Promise<void> {
  if (tiles.length > 0) await storeTiles(client, tiles);
  await client.query({
    name: 'log-store-leaves',
    text: `insert into log_leaf (ledger_id, luid, change, first, commitments, salts)
      select ledger, luid, change, first, commitments, salts
      from unnest($1::bigint[], $2::text[], $3::int[], $4::bigint[], $5::bytea[], $6::bytea[])
        as x (ledger, luid, change, first, commitments, salts)`,
    values: [
      leaves.map(({ ledger }) => ledger),
      textArray(leaves.map(({ luid }) => luid)),
      leaves.map(({ change }) => change),
      leaves.map(({ first }) => first),
      bytesArray(leaves.map(({ commitments }) => commitments)),
      bytesArray(leaves.map(({ salts }) => salts)),
    ],
  });
  // In a cluster it is one ledger: Citus finds its node by the parameter, which has to stand alone. Of a prepared statement it would also
  // make a plan without parameters, over all nodes, which it never uses.
  const isAmongNodes = await isDistributed(client);
  await client.query({
    ...(isAmongNodes ? {} : { name: 'log-store' }),
    // least ignores nulls.
    text: `update log g set size = x.size, edge = x.edge, checkpoint = x.checkpoint, mac = x.mac,
        sealed = statement_timestamp(), unwitnessed = least(g.unwitnessed, statement_timestamp())
      from unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::text[], $5::text[]) as x (ledger, size, edge, checkpoint, mac)
      where g.ledger_id = x.ledger${isAmongNodes ? ' and g.ledger_id = $6::bigint' : ''}`,
    values: [
      logs.map(({ ledger }) => ledger),
      logs.map(({ size }) => size),
      bytesArray(logs.map(({ edge }) => edge)),
      textArray(logs.map(({ checkpoint }) => checkpoint)),
      textArray(logs.map(({ mac }) => mac)),
      ...(isAmongNodes ? [logs[0]!.ledger] : []),
    ],
  });
}

async function storeTiles(client: Queryable, tiles: readonly StoredTile[]): Promise<void> {
  await client.query({
    name: 'log-store-tiles',
    text: `insert into log_tile (ledger_id, level, n, hashes)
      select * from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bytea[]) as x (ledger, level, n, hashes)
      on conflict (ledger_id, level, n) do update set hashes = excluded.hashes`,
    values: [
      tiles.map(({ ledger }) => ledger),
      tiles.map(({ level }) => level),
      tiles.map(({ index }) => index),
      bytesArray(tiles.map(({ hashes }) => hashes)),
    ],
  });
}

/** Stops a log, until an operator begins a new tree. @param origin of the tree that is wrong */
export async function stopLog(on: Queryable, ledger: number, origin: string, why: string): Promise<void> {
  await on.query({
    text: 'update log set stopped = $3 where ledger_id = $1 and origin = $2 and stopped is null',
    values: [ledger, origin, why],
  });
}

/** What is measured of all logs. */
export interface MeasuredLogs {
  /** Seconds since the oldest queued leaf was stored; 0 when there is none. */
  readonly oldest: number;
  /** Seconds for which a checkpoint has waited for cosignatures, of the log that waits longest. */
  readonly unwitnessed: number;
  /** Logs that are stopped. */
  readonly stopped: number;
}

export async function measureLogs(on: Queryable): Promise<MeasuredLogs> {
  const reachable = ofReachable('ledger_id');
  const rows = await readReachable<MeasuredLogs>(on, {
    name: 'log-measure',
    text: `select coalesce(extract(epoch from clock_timestamp() - (select min(moment) from unsealed where ${reachable})), 0)::float8 as oldest,
      coalesce(extract(epoch from clock_timestamp() - (
        select min(unwitnessed) from log where unwitnessed is not null and stopped is null and ${reachable})), 0)::float8 as unwitnessed,
      (select count(*) from log where stopped is not null and ${reachable})::int as stopped`,
    values: [],
  });
  return rows[0]!;
}
