import {
  Kysely,
  type Migration,
  Migrator,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  sql,
} from 'kysely';
import type pg from 'pg';
import { distribute, useTables } from './distribution.js';
import { readMigrations } from './sql.js';

/**
 * Brings the database to this release's schema. Forward only; each migration runs once, in order, and all of them in
 * one transaction under a lock, so that any number of servers may start at the same time. It runs without a timeout: on
 * a long history a migration that reads all of it would time out at every attempt. Where the database is a cluster of Citus, the
 * tables are then spread over its nodes.
 *
 * @returns the names of the migrations that ran
 * @throws when a migration fails, or when the database was migrated by a later release
 */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: borrowPool(pool) }) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations() } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error) throw error;
  await withLock(pool, DISTRIBUTION_LOCK, distribute);
  return results.map(({ migrationName }) => migrationName);
}

/** Migrations that a database has yet to have, and those that it has of a later release. */
export async function findMigrations(pool: pg.Pool): Promise<{ readonly pending: string[]; readonly later: string[] }> {
  const { rows } = await pool.query<{ name: string }>('select name from kysely_migration order by name');
  const had = rows.map(({ name }) => name);
  const known = Object.keys(readMigrations());
  return {
    pending: known.filter((name) => !had.includes(name)),
    later: had.filter((name) => !known.includes(name)),
  };
}

function migrations(): Record<string, Migration> {
  const all = Object.entries(readMigrations());
  return Object.fromEntries(
    all.map(([name, text]) => [name, { up: async (db) => void (await sql.raw(text).execute(db)) }]),
  );
}

/** The pool with an `end` that leaves it open: Kysely only borrows it. */
function borrowPool(pool: pg.Pool): PostgresPool {
  return {
    connect: async () => (await withoutTimeout(await pool.connect())) as unknown as PostgresPoolClient,
    end: async () => {},
  };
}

/** The part of a connection that Kysely uses. */
type Patient = Pick<PostgresPoolClient, 'release'> & {
  query(text: string, values?: unknown[]): Promise<pg.QueryResult>;
};

/**
 * A connection whose statements run without a timeout, and find the tables first. It is closed when released, so that the settings
 * end with it.
 */
async function withoutTimeout(client: pg.PoolClient): Promise<Patient> {
  const query: Patient['query'] = (text, values = []) =>
    client.query({ text, values, query_timeout: FOR_EVER } as pg.QueryConfig);
  try {
    await query('set statement_timeout = 0');
    await useTables({ query }, 'session ends');
  } catch (error) {
    client.release(true);
    throw error;
  }
  return { query, release: () => client.release(true) };
}

/** Milliseconds: the longest delay of a timer, 24 days. */
const FOR_EVER = 2 ** 31 - 1;

/** The number of the lock that servers share which spread tables. */
const DISTRIBUTION_LOCK = 4_207_002;

/** Runs `work` under the advisory lock of that number, which all servers share. Waits for it without a timeout. */
export async function withLock<T>(
  pool: pg.Pool,
  number: number,
  work: (client: Pick<Patient, 'query'>) => Promise<T>,
): Promise<T> {
  const client = await withoutTimeout(await pool.connect());
  try {
    await client.query('select pg_advisory_lock($1)', [number]);
    return await work(client);
  } finally {
    // The lock ends with its session.
    client.release();
  }
}
