import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import type pg from 'pg';
import { type EnvironmentSettings, parseConfig } from '../config.js';
import { createPool } from '../store/pool.js';
import { explainError, unusable } from '../store/queries/reach.js';
import { isUnavailable } from '../store/unavailable.js';
import { WrongCall } from './refusals.js';

/** Something that the server requires of its database, and whether this one has it. */
export interface CheckedRequirement {
  readonly requirement: string;
  /** What it is for. */
  readonly why: string;
  readonly isMet: boolean;
  /** Whether a server can do without it. */
  readonly isOptional: boolean;
  /** Why it is not met: the answer of the database, or what differs. */
  readonly error?: string;
}

interface Requirement {
  readonly requirement: string;
  readonly why: string;
  readonly isOptional?: boolean;
  /** Whether what comes after it cannot be checked without it. */
  readonly isFirst?: boolean;
  /** @throws where it is not met */
  readonly attempt: (client: pg.PoolClient, other: pg.PoolClient) => Promise<unknown>;
}

/** Milliseconds in which a notification comes. */
const NOTIFIED_WITHIN = 5_000;

/** Runs statements in a transaction that is rolled back. They make temporary objects only: some engines roll back no definitions. */
const tryAndRollBack = (text: string) => async (client: pg.PoolClient) => {
  await client.query('begin');
  try {
    // A table of the same name is not meant, wherever the role's search path has temporary ones.
    await client.query('set local search_path = pg_temp, pg_catalog');
    await client.query(text);
  } finally {
    // It must not hide what went wrong before.
    await client.query('rollback').catch(() => {});
  }
};

const REQUIREMENTS: readonly Requirement[] = [
  {
    requirement: 'PostgreSQL of a supported release, with UTF-8',
    why: 'everything',
    async attempt(client) {
      const { rows } = await client.query<{ version: string; release: number; encoding: string }>(
        `select current_setting('server_version') as version, current_setting('server_version_num')::int as release,
           current_setting('server_encoding') as encoding`,
      );
      const why = unusable(rows[0]!);
      if (why !== undefined) throw new Error(`it ${why}`);
    },
  },
  {
    requirement: 'a primary, which takes writes',
    why: 'everything',
    isFirst: true,
    attempt: (client) =>
      assertHolds(
        client,
        `select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as holds`,
        'it is a standby, or read only',
      ),
  },
  {
    requirement: 'settings and prepared statements of a session',
    why: 'each connection; a pooler in transaction mode keeps none',
    isFirst: true,
    async attempt(client, other) {
      const own = {
        name: 'countersign_check',
        text: `select current_setting('countersign.check', true) = 'on' as holds`,
      };
      await client.query(`select set_config('countersign.check', 'on', false)`);
      // A pooler would give the connection that was used last to the next one: it is kept in use.
      await other.query('begin');
      try {
        await other.query('select 1');
        for (let use = 0; use < 2; use += 1) {
          const { rows } = await client.query<{ holds: boolean }>(own);
          if (!rows[0]!.holds) throw new Error('a setting did not last');
        }
      } finally {
        await other.query('rollback');
        await client.query(`select set_config('countersign.check', '', false)`);
      }
    },
  },
  {
    requirement: 'temporary tables',
    why: 'migrations, and the checks below; a role that only serves needs none',
    isFirst: true,
    attempt: (client) =>
      assertHolds(
        client,
        `select has_database_privilege(current_database(), 'temporary') as holds`,
        'the role may not make them',
      ),
  },
  {
    requirement: 'the right to create in the schema',
    why: 'migrations; a role that only serves needs none',
    isOptional: true,
    attempt: (client) =>
      assertHolds(
        client,
        `select has_schema_privilege(current_schema(), 'create') as holds`,
        'the role may not create',
      ),
  },
  {
    requirement: 'read committed as the usual isolation',
    why: 'writes that rest on one another',
    attempt: (client) =>
      assertHolds(
        client,
        `select current_setting('transaction_isolation') = 'read committed' as holds`,
        'default_transaction_isolation is another',
      ),
  },
  {
    requirement: 'functions in PL/pgSQL that take arrays of rows, and catch errors',
    why: 'each write, each settlement',
    attempt: tryAndRollBack(`
      create type pg_temp.written as (ord int, body text);
      create function pg_temp.store(writes pg_temp.written[]) returns int language plpgsql
      set plan_cache_mode = force_generic_plan as $$
      begin
        begin
          raise sqlstate 'CS001';
        exception when sqlstate 'CS001' then
          return (select count(*)::int from unnest(writes));
        end;
      end
      $$;
      select pg_temp.store(array[row(1, 'a')::pg_temp.written])`),
  },
  {
    requirement: 'the statements of row locks: for no key update, for key share, skip locked',
    why: 'writes that rest on one another, leases, queues',
    attempt: tryAndRollBack(`
      create temporary table locked (id int primary key);
      insert into locked values (1) on conflict do nothing;
      select from locked for no key update;
      select from locked for key share;
      select from locked for update skip locked`),
  },
  {
    requirement: 'triggers of rows and of statements that refuse',
    why: 'the history is append-only',
    attempt: tryAndRollBack(`
      create temporary table kept (id int primary key);
      insert into kept values (1);
      create function pg_temp.refuse() returns trigger language plpgsql as $$
      begin
        raise exception 'refused' using errcode = 'restrict_violation';
      end
      $$;
      create trigger of_rows before update on kept for each row execute function pg_temp.refuse();
      create trigger of_statements before delete on kept for each statement execute function pg_temp.refuse();
      do $$
      begin
        begin
          update kept set id = 2;
          raise exception 'a trigger of rows was not called';
        exception when restrict_violation then
        end;
        begin
          delete from kept;
          raise exception 'a trigger of statements was not called';
        exception when restrict_violation then
        end;
      end
      $$`),
  },
  {
    requirement: 'identity columns, whose numbers rise',
    why: 'the order of lists and of the log',
    attempt: tryAndRollBack(`
      create temporary table numbered (id bigint generated always as identity, n int);
      do $$
      begin
        for n in 1 .. 3 loop
          insert into numbered (n) values (n);
        end loop;
        if exists (select from numbered a join numbered b on b.n = a.n + 1 where b.id <= a.id) then
          raise exception 'numbers do not rise in the order of rows';
        end if;
      end
      $$`),
  },
  {
    requirement: 'GIN indexes on jsonb and arrays, the collation C',
    why: 'lists and filters',
    attempt: tryAndRollBack(`
      create temporary table listed (document jsonb, owners text[], handle text collate "C");
      create index on listed using gin (document jsonb_path_ops);
      create index on listed using gin (owners);
      create index on listed (handle)`),
  },
  {
    requirement: 'settings of tables and columns',
    why: 'migrations',
    attempt: tryAndRollBack(`
      create temporary table settled (body text);
      alter table settled set (autovacuum_freeze_min_age = 0, toast_tuple_target = 8160);
      alter table settled alter column body set statistics 0`),
  },
  {
    requirement: 'advisory locks of sessions, which hold',
    why: 'migrations, imports',
    async attempt(client, other) {
      const key = randomInt(2 ** 31);
      const lock = `select pg_try_advisory_lock(${key}) as holds`;
      await assertHolds(client, lock, 'it is not given');
      try {
        // Some engines have the function, and it does nothing.
        const { rows } = await other.query<{ holds: boolean }>(lock);
        if (rows[0]!.holds) throw new Error('two sessions hold the same one');
      } finally {
        await client.query(`select pg_advisory_unlock(${key})`);
      }
    },
  },
  {
    requirement: 'LISTEN and NOTIFY',
    why: 'processes wake one another; without it work starts some seconds later',
    isOptional: true,
    async attempt(client, other) {
      await client.query('listen countersign_check');
      const come = once(client, 'notification', { signal: AbortSignal.timeout(NOTIFIED_WITHIN) });
      come.catch(() => {});
      await other.query('notify countersign_check');
      await come.catch(() => {
        throw new Error(`no notification came within ${NOTIFIED_WITHIN} ms`);
      });
    },
  },
  {
    requirement: 'positions of the write-ahead log',
    why: 'noticing a database that went back in time; without them each start of it is taken for one',
    isOptional: true,
    attempt: (client) =>
      client.query(
        'select pg_current_wal_insert_lsn(), pg_current_wal_flush_lsn(), system_identifier from pg_control_system()',
      ),
  },
];

/**
 * @param text a query for a row with a boolean `holds`
 * @throws Error with `otherwise` where that is not true
 */
async function assertHolds(client: pg.PoolClient, text: string, otherwise: string): Promise<void> {
  const { rows } = await client.query<{ holds: boolean }>(text);
  if (rows[0]?.holds !== true) throw new Error(otherwise);
}

/**
 * Checks that the database of DATABASE_URL has what the server requires. It needs no tables, and is left as it was.
 *
 * @returns the requirements up to the first one without which the rest cannot be checked
 * @throws WrongCall without DATABASE_URL; DatabaseUnreachable, also where it is lost on the way
 */
export async function runCheckDatabase(settings: EnvironmentSettings): Promise<CheckedRequirement[]> {
  const { databaseUrl: url } = parseConfig(settings);
  if (url === undefined) throw new WrongCall('check-database needs DATABASE_URL: the embedded PostgreSQL has all.');
  const pool = createPool({ connectionString: url, max: 2, application_name: 'countersign admin' }, () => {});
  const clients: pg.PoolClient[] = [];
  try {
    for (let at = 0; at < 2; at += 1) clients.push(await pool.connect());
    const [client, other] = clients as [pg.PoolClient, pg.PoolClient];
    const found: CheckedRequirement[] = [];
    for (const one of REQUIREMENTS) {
      const checked = await check(one, client, other);
      const isLast = one.isFirst && !checked.isMet;
      found.push(isLast ? { ...checked, error: `${checked.error}: the rest is not checked` } : checked);
      if (isLast) break;
    }
    return found;
  } catch (error) {
    throw explainError(error, url, false);
  } finally {
    // What was set, and what listens, ends with the connections.
    for (const client of clients) client.release(true);
    await pool.end();
  }
}

async function check(
  { requirement, why, isOptional = false, attempt }: Requirement,
  client: pg.PoolClient,
  other: pg.PoolClient,
): Promise<CheckedRequirement> {
  const about = { requirement, why, isOptional };
  try {
    await attempt(client, other);
    return { ...about, isMet: true };
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return { ...about, isMet: false, error: (error as Error).message };
  }
}
