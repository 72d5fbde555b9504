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
import { recordsSchema } from './migrations/0001-records.js';
import { usedTokensSchema } from './migrations/0002-used-tokens.js';
import { listsSchema } from './migrations/0003-lists.js';
import { droppedRecordsSchema } from './migrations/0004-dropped-records.js';
import { usedProofsSchema } from './migrations/0005-used-proofs.js';
import { keyOrderSchema } from './migrations/0006-key-order.js';
import { macsSchema } from './migrations/0007-macs.js';
import { answersSchema } from './migrations/0008-answers.js';
import { leasesSchema } from './migrations/0009-leases.js';
import * as deliveries from './migrations/0010-deliveries.js';
import * as schedules from './migrations/0011-schedules.js';
import { deliveryRetriesSchema } from './migrations/0012-delivery-retries.js';
import { moneySchema } from './migrations/0013-money.js';
import { logSchema } from './migrations/0014-log.js';
import { erasureSchema } from './migrations/0015-erasure.js';
import { importedErasuresSchema } from './migrations/0016-imported-erasures.js';
import { statisticsSchema } from './migrations/0017-statistics.js';
import { furtherAttemptsSchema } from './migrations/0018-further-attempts.js';
import { limitsOfSymbolsSchema } from './migrations/0019-limits-of-symbols.js';
import { storageSchema } from './migrations/0020-storage.js';
import { storeFunctionsSchema } from './migrations/0021-store-functions.js';

const numbered: Record<string, string> = {
  '0001-records': recordsSchema,
  '0002-used-tokens': usedTokensSchema,
  '0003-lists': listsSchema,
  '0004-dropped-records': droppedRecordsSchema,
  '0005-used-proofs': usedProofsSchema,
  '0006-key-order': keyOrderSchema,
  '0007-macs': macsSchema,
  '0008-answers': answersSchema,
  '0009-leases': leasesSchema,
  '0010-deliveries': deliveries.sql,
  '0011-schedules': schedules.sql,
  '0012-delivery-retries': deliveryRetriesSchema,
  '0013-money': moneySchema,
  '0014-log': logSchema,
  '0015-erasure': erasureSchema,
  '0016-imported-erasures': importedErasuresSchema,
  '0017-statistics': statisticsSchema,
  '0018-further-attempts': furtherAttemptsSchema,
  '0019-limits-of-symbols': limitsOfSymbolsSchema,
  '0020-storage': storageSchema,
  '0021-store-functions': storeFunctionsSchema,
};

const migrations: Record<string, Migration> = Object.fromEntries(
  Object.entries(numbered).map(([name, text]) => [name, { up: async (db) => void (await sql.raw(text).execute(db)) }]),
);

/**
 * Brings the database to this release's schema. Forward only; each migration runs once, in order, and all of them in
 * one transaction under a lock, so that any number of servers may start at the same time. It runs without a timeout: on
 * a long history a migration that reads all of it would time out at every attempt.
 *
 * @throws when a migration fails, or when the database was migrated by a later release
 */
export async function migrate(pool: pg.Pool): Promise<void> {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: borrowPool(pool) }) });
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest();
  if (error) throw error;
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
 * A connection whose statements run without a timeout. It is closed when released, so that the setting ends with it.
 */
async function withoutTimeout(client: pg.PoolClient): Promise<Patient> {
  const query: Patient['query'] = (text, values = []) =>
    client.query({ text, values, query_timeout: FOR_EVER } as pg.QueryConfig);
  try {
    await query('set statement_timeout = 0');
  } catch (error) {
    client.release(true);
    throw error;
  }
  return { query, release: () => client.release(true) };
}

/** Milliseconds: the longest delay of a timer, 24 days. */
const FOR_EVER = 2 ** 31 - 1;

/** Runs `work` under the advisory lock of that number, which all servers share. Waits for it without a timeout. */
export async function withLock<T>(pool: pg.Pool, number: number, work: () => Promise<T>): Promise<T> {
  const client = await withoutTimeout(await pool.connect());
  try {
    await client.query('select pg_advisory_lock($1)', [number]);
    return await work();
  } finally {
    // The lock ends with its session.
    client.release();
  }
}
