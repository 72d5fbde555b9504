import { Kysely, type Migration, Migrator, PostgresDialect, sql } from 'kysely';
import type pg from 'pg';
import * as records from './migrations/0001-records.js';
import * as usedTokens from './migrations/0002-used-tokens.js';
import * as lists from './migrations/0003-lists.js';
import * as droppedRecords from './migrations/0004-dropped-records.js';
import * as macs from './migrations/0007-macs.js';
import * as answers from './migrations/0008-answers.js';

const numbered: Record<string, string> = {
  '0001-records': records.sql,
  '0002-used-tokens': usedTokens.sql,
  '0003-lists': lists.sql,
  '0004-dropped-records': droppedRecords.sql,
  '0007-macs': macs.sql,
  '0008-answers': answers.sql,
};

const migrations: Record<string, Migration> = Object.fromEntries(
  Object.entries(numbered).map(([name, text]) => [name, { up: async (db) => void (await sql.raw(text).execute(db)) }]),
);

/**
 * Brings the database to this release's schema. Forward only; each migration runs once, in order, and all of them in
 * one transaction under a lock, so that any number of servers may start at the same time.
 *
 * @throws when a migration fails, or when the database was migrated by a later release
 */
export async function migrate(pool: pg.Pool): Promise<void> {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: borrowed(pool) }) });
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest();
  if (error) throw error;
}

/** The pool without its `end`: closing Kysely must not close a pool it was lent. */
function borrowed(pool: pg.Pool): { connect: pg.Pool['connect']; end(): Promise<void> } {
  return { connect: pool.connect.bind(pool) as pg.Pool['connect'], end: async () => {} };
}
