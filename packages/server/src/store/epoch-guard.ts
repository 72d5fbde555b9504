import type pg from 'pg';
import { isDistributed } from './nodes/distribution.js';

/** Versions of a ledger that one epoch has room for. */
export const VERSIONS_PER_EPOCH = 2 ** 32;

/** The epoch that a ledger's version belongs to. */
export function epochOf(version: number): number {
  return Math.floor(version / VERSIONS_PER_EPOCH);
}

/** The connection leads to a standby, or to a former primary after a failover. */
export class WrongDatabase extends Error {}

/**
 * SQL: the position of the write-ahead log, in bytes. Whatever a statement reads lies before it. With
 * `synchronous_commit` off, a statement can read changes that are yet to be flushed, so the insert position counts.
 */
export const WAL_POSITION = `(case when current_setting('synchronous_commit') = 'off'
  then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end - '0/0')::bigint`;

/** The database that a connection leads to. */
interface DatabaseIdentity {
  readonly standby: boolean;
  /** System identifier and timeline; the time of the server's start where the role may not read these. */
  readonly name: string;
  /** The name stored in `deployment`; null before the first one. */
  readonly recorded: string | null;
  readonly system: string | null;
  readonly timeline: number;
  readonly position: number | null;
  /** Names the last start of the connected server. */
  readonly start: string;
  /** The starts stored in `deployment`, each with the position of the log at the first connection after it. */
  readonly starts: Readonly<Record<string, number>>;
}

/**
 * Detects that the database has gone on from an earlier point (a restore, a failover to a standby that was behind), and
 * then moves all ledgers on to a new epoch of versions.
 */
export type EpochGuard = Awaited<ReturnType<typeof createEpochGuard>>;

export interface EpochGuardOptions {
  /** Called when a new epoch has begun, since versions that were read may be lost. All ledgers are in it. */
  readonly epochBegan: (epoch: number) => void;
}

const ALWAYS_ASKED = `pg_is_in_recovery() as standby, 'start/' || extract(epoch from pg_postmaster_start_time()) as start`;

/** Asked by a statement of its own: in a cluster, any node may answer what reads a table. */
const RECORDED_SQL = `select (select value from deployment where name = 'identity') as recorded,
  (select json_object_agg(name, value::bigint) from deployment where name like 'start/%') as starts`;

const IDENTITY_SQL = `select ${ALWAYS_ASKED},
  (select system_identifier::text from pg_control_system()) as system,
  case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) end as timeline,
  case when not pg_is_in_recovery() then ${WAL_POSITION} end as position`;

/** For a role with fewer rights: every start of the server then counts as one at an earlier point. */
const PLAIN_IDENTITY_SQL = `select ${ALWAYS_ASKED}, null as system, null as timeline, null as position`;

/** Starts that the database remembers. */
const REMEMBERED_STARTS = 100;

/** SQLSTATEs of a function that the role may not call, or that a hosted PostgreSQL lacks. */
const REFUSED = new Set(['42501', '42883', '0A000']);

/** Milliseconds for the query that identifies the database. */
const IDENTITY_TIMEOUT = 5_000;

/** Milliseconds for moving all ledgers on: 100,000 take a third of a second. */
export const MOVE_TIMEOUT_MS = 300_000;

/**
 * Makes an epoch guard. After a failover to a standby that was behind, after a restore, or when the end of the log was
 * lost, the database goes on from an earlier point, and reuses version numbers that this process has already read. So
 * every new connection is asked which database it leads to. On a mismatch with what was seen before, all ledgers are
 * moved on to a new epoch of versions. Cached data carry the epoch they were read in, and are read again in a new one.
 *
 * One process moves the ledgers, in one transaction; the others find that it is done.
 *
 * @param pool asked once whether the role may read the position of the log
 */
export async function createEpochGuard(pool: pg.Pool, { epochBegan }: EpochGuardOptions) {
  const mayAsk = await mayAskPosition(pool);
  const clients = new Set<pg.ClientBase>();
  /** The database of the connections so far; absent before the first one. */
  let seen: DatabaseIdentity | undefined;
  let position = 0;
  /** The highest epoch of a version that was read. */
  let highest = 0;
  /** Number of detected losses of writes. */
  let losses = 0;
  let settling: Promise<unknown> = Promise.resolve();

  /** Identifies the database of a connection, and whether it has lost writes that this process has read. */
  const compared = async (client: pg.ClientBase): Promise<{ identity: DatabaseIdentity; lostWrites: boolean }> => {
    // Taken before the query: the position may rise while it runs.
    const [passed, was] = [position, seen];
    const identity = await readIdentity(client, mayAsk);
    assertPrimary(was, identity);
    return { identity, lostWrites: was !== undefined && hasLostWrites(was, passed, identity) };
  };

  const admit = (client: pg.ClientBase, identity: DatabaseIdentity) => {
    seen = identity;
    position = Math.max(position, identity.position ?? 0);
    clients.add(client);
    client.once('end', () => clients.delete(client));
  };

  /** Agrees with the other processes on the epoch from here on. */
  const settle = async (client: pg.ClientBase, identity: DatabaseIdentity, lostWrites: boolean) => {
    const { epoch, moved } = await moveOn(client, identity, lostWrites ? highest : undefined);
    highest = Math.max(highest, epoch);
    if (moved || lostWrites) epochBegan(epoch);
    if (lostWrites) {
      losses += 1;
      position = 0;
      // Earlier connections may still lead to the former server.
      for (const other of clients) destroyConnection(other);
    }
    admit(client, { ...identity, starts: { ...identity.starts, [identity.start]: identity.position ?? 0 } });
  };

  const verify = async (client: pg.ClientBase): Promise<void> => {
    for (;;) {
      const on = losses;
      const { identity, lostWrites } = await compared(client);
      // Another connection has found a loss meanwhile: this one is compared again.
      if (on !== losses) continue;
      if (!lostWrites && identity.recorded === identity.name && identity.start in identity.starts)
        return admit(client, identity);
      const settled = settling.then(async () => {
        if (on !== losses) return false;
        await settle(client, identity, lostWrites);
        return true;
      });
      settling = settled.catch(() => {});
      if (await settled) return;
    }
  };

  return {
    /** Whether the role may read positions. */
    mayAskPosition: mayAsk,
    /** SQL for the position of the write-ahead log; `null` where the role may not read it. */
    // What reads a ledger is answered by its node, whose positions are of another log (`NodeGuard`).
    walPosition: mayAsk && !(await isDistributed(pool)) ? WAL_POSITION : 'null::bigint',
    /** Records what was read and will be cached: a ledger's version, and the position of the log at that time. */
    saw(version: number, at: number | null): void {
      if (version >= (highest + 1) * VERSIONS_PER_EPOCH) highest = epochOf(version);
      if (at !== null && at > position) position = at;
    },
    /** Verifies a new connection before it is used. @throws WrongDatabase */
    verify,
  };
}

/**
 * Whether the database has gone on from a point before the one that this process has seen. By the time this process
 * reconnects, the log may have grown past that point again; so the first connection after each start stores the
 * position of that time.
 *
 * @param passed the highest position seen before the connection was asked
 */
function hasLostWrites(seen: DatabaseIdentity, passed: number, identity: DatabaseIdentity): boolean {
  if (seen.name !== identity.name || (identity.position ?? passed) < passed) return true;
  const starts = Object.entries(identity.starts);
  if (!(seen.start in identity.starts) && starts.length < REMEMBERED_STARTS) return true;
  return starts.some(([start, position]) => !(start in seen.starts) && position < passed);
}

/** @throws WrongDatabase for a standby, and for a former primary: a lower timeline of the same system */
function assertPrimary(seen: DatabaseIdentity | undefined, identity: DatabaseIdentity): void {
  if (identity.standby) throw new WrongDatabase('The database is a standby, which takes no writes.');
  if (!seen || seen.system === null || seen.system !== identity.system || identity.timeline >= seen.timeline) return;
  throw new WrongDatabase('The database is on a timeline that was left: another server had taken over.');
}

async function mayAskPosition(pool: pg.Pool): Promise<boolean> {
  return pool.query(`select ${WAL_POSITION}`).then(
    () => true,
    (error) => {
      if (REFUSED.has(error.code)) return false;
      throw error;
    },
  );
}

async function readIdentity(client: pg.ClientBase, mayAsk: boolean): Promise<DatabaseIdentity> {
  const ask = async (text: string) => {
    const { rows } = await client.query({ text, query_timeout: IDENTITY_TIMEOUT } as pg.QueryConfig);
    return rows[0];
  };
  const { standby, system, timeline, position, start } = await ask(mayAsk ? IDENTITY_SQL : PLAIN_IDENTITY_SQL);
  const { recorded, starts } = await ask(RECORDED_SQL);
  const name = mayAsk ? `${system}/${timeline}` : start;
  return { standby, recorded, name, system, timeline: parseInt(timeline, 16), position, start, starts: starts ?? {} };
}

/**
 * Stores the name of the database and its start. Moves all ledgers on where another name was stored, or where versions
 * that were read are lost.
 *
 * @param lost the highest epoch of versions that may be lost
 * @returns the epoch that new versions are in, and whether the ledgers were moved
 */
async function moveOn(
  client: pg.ClientBase,
  { name, start, position }: DatabaseIdentity,
  lost: number | undefined,
): Promise<{ epoch: number; moved: boolean }> {
  const run = (text: string, values: unknown[] = []) =>
    client.query({ text, values, query_timeout: MOVE_TIMEOUT_MS } as pg.QueryConfig);
  await run('begin');
  try {
    await run(`set local statement_timeout = ${MOVE_TIMEOUT_MS}`);
    await run(`insert into deployment (name, value) values ('epoch', '0'), ('identity', '') on conflict do nothing`);
    const { rows } = await run(
      `select name, value from deployment where name in ('epoch', 'identity') order by name for update`,
    );
    const [kept, stored] = [Number(rows[0].value), rows[1].value as string];
    const moved = (stored !== '' && stored !== name) || (lost !== undefined && kept <= lost);
    const epoch = moved ? Math.max(kept, lost ?? 0) + 1 : kept;
    if (moved) await run('update ledger set version = $1 where version < $1', [epoch * VERSIONS_PER_EPOCH]);
    await run(
      `update deployment d set value = u.value from (values ('identity', $1), ('epoch', $2)) u (name, value)
        where d.name = u.name`,
      [name, String(epoch)],
    );
    await run('insert into deployment (name, value) values ($1, $2) on conflict do nothing', [
      start,
      `${position ?? 0}`,
    ]);
    await run(
      `delete from deployment where name in (
        select name from deployment where name like 'start/%' order by name desc offset ${REMEMBERED_STARTS})`,
    );
    await run('commit');
    return { epoch, moved };
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** Ends a connection and fails its pending queries, whether or not the server answers. */
function destroyConnection(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(error: Error): void } } };
  connection.stream.destroy(new Error('Connection terminated: the database has gone on from an earlier point'));
}
