import pg from 'pg';
import { expect, it } from 'vitest';
import { migrate, withLock } from '../../src/store/migrate.js';
import { createPool } from '../../src/store/pool.js';
import { readMigrations } from '../../src/store/sql.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { PRETEND_CITUS } from '../support/nodes.js';
import { runSql } from '../support/sql.js';

/** Milliseconds that a statement of the pool's may take. */
const PATIENCE = 200;

/** A database, a pool without patience, and a connection that others can be made to wait for. */
async function withHolder(work: (pool: pg.Pool, holder: pg.Client) => Promise<void>): Promise<void> {
  const database: TestDatabase = await createDatabase();
  const bounds = { statement_timeout: PATIENCE, query_timeout: PATIENCE };
  const pool = createPool({ connectionString: database.url, max: 2, ...bounds }, () => {});
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  try {
    await work(pool, holder);
  } finally {
    await holder.end();
    await pool.end();
    await database.drop();
  }
}

/** Resolves when a statement has waited for the holder for longer than one of the pool's may take. */
async function outOfPatience(holder: pg.Client): Promise<void> {
  const text = `select from pg_stat_activity
    where pg_backend_pid() = any(pg_blocking_pids(pid)) and clock_timestamp() - query_start > $1::interval`;
  await eventually(async () => {
    // Within a transaction what was seen once is shown again.
    await holder.query('select pg_stat_clear_snapshot()');
    expect((await holder.query(text, [`${3 * PATIENCE} milliseconds`])).rows).toHaveLength(1);
  });
}

it('migrations take longer than any other statement may', async () => {
  await withHolder(async (pool, holder) => {
    await holder.query('begin; create table deployment ()');
    const migrated = migrate(pool);
    // The assertion comes later, and it may fail before.
    migrated.catch(() => {});
    await outOfPatience(holder);
    await holder.query('rollback');
    await migrated;
    expect((await pool.query('select from ledger')).rows).toEqual([]);
    await expect(pool.query('select pg_sleep(60)')).rejects.toThrow(/timeout/);
  });
});

it('a first migration that fails leaves an empty database, which the next start migrates', async () => {
  await withHolder(async (pool, holder) => {
    const all = readMigrations();
    const [first, ...others] = all;
    const failing = [{ ...first!, text: `${first!.text}; select 1 / 0` }, ...others];
    await expect(migrate(pool, failing)).rejects.toThrow('division by zero');
    expect((await holder.query(`select from pg_class where relnamespace = 'public'::regnamespace`)).rows).toEqual([]);
    // As releases before have left it.
    await holder.query(
      'create table kysely_migration (name varchar(255) primary key, "timestamp" varchar(255) not null)',
    );
    expect(await migrate(pool)).toEqual(all.map(({ name }) => name));
  });
});

it('whoever comes second waits for as long as the first one takes', async () => {
  await withHolder(async (pool, holder) => {
    await holder.query('select pg_advisory_lock(1)');
    const done = withLock(pool, 1, async () => 'done');
    done.catch(() => {});
    // It asks again and again, in statements of its own: an index that is made concurrently waits for those that go on.
    const asking = `select from pg_stat_activity where query like '%pg_try_advisory_lock%' and pid <> pg_backend_pid()
      and query_start - backend_start > $1::interval`;
    await eventually(async () =>
      expect((await holder.query(asking, [`${3 * PATIENCE} milliseconds`])).rows).toHaveLength(1),
    );
    await holder.query('select pg_advisory_unlock(1)');
    expect(await done).toBe('done');
    // The lock ends with the session of who held it, which PostgreSQL ends in its own time.
    const free = 'select pg_try_advisory_lock(1) as free';
    await eventually(async () => expect((await holder.query(free)).rows).toEqual([{ free: true }]));
  });
});

it.skipIf(process.env.TEST_DATABASE_URL || process.env.CITUS_TEST_URL)(
  'on a cluster, tables are made beside the schema of its functions, which must be of the same role',
  async () => {
    const database = await createDatabase();
    await runSql(
      database.url,
      `${PRETEND_CITUS};
       create schema cluster authorization pg_monitor;
       do $$ begin execute format('alter database %I set search_path = cluster, public', current_database()); end $$`,
    );
    const pool = createPool({ connectionString: database.url, max: 2 }, () => {});
    await expect(migrate(pool)).rejects.toThrow('The schema cluster belongs to pg_monitor');
    expect((await pool.query('select from public.ledger')).rows).toEqual([]);
    await pool.end();
    await database.drop();
  },
);
