import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { untilNone } from './deployment/processes.js';
import { LEAST_SCHEMA } from './deployment/schema-range.js';
import { distribute, useTables } from './nodes/distribution.js';
import type { Queryable } from './queries/statement.js';
import { type Migration, readMigrations } from './sql.js';

/** Names of the migrations that ran, in the table that the releases before 0.2.0 look into as well. */
const TABLE = 'kysely_migration';

/**
 * Brings the database to this release's schema. Forward only; each migration runs once, in order, under a lock, so that any number of
 * servers may start at the same time. One that earlier servers may serve beside runs alone, and waits for no lock for long. Others run
 * in one transaction, for as long as a long history needs. Where the database is a cluster of Citus, the tables are then spread over
 * its nodes.
 *
 * @returns the names of the migrations that ran
 * @throws when a migration fails, the database was migrated by a later release that this one may not serve beside, or servers serve
 *   that may not go on
 */
export async function migrate(pool: pg.Pool, migrations = readMigrations()): Promise<string[]> {
  // A process that is replaced while a migration runs does not wait for it.
  const isDue = (await findDue(pool, migrations)).length > 0;
  const ran = isDue ? await withLock(pool, MIGRATION_LOCK, (client) => runDue(client, migrations)) : [];
  await withLock(pool, DISTRIBUTION_LOCK, distribute);
  return ran;
}

/** What a database has of migrations, against those of this release. */
export interface FoundMigrations {
  readonly pending: readonly string[];
  /** Those of a later release. */
  readonly later: readonly string[];
  /** Whether this release may not serve with the later ones. */
  readonly isOutdated: boolean;
}

/** Looks at a database that has been migrated before. */
export async function findMigrations(on: Queryable, migrations = readMigrations()): Promise<FoundMigrations> {
  const { rows } = await on.query<{ had: string[]; least: string | null }>({
    text: `select array(select name::text from ${TABLE} order by name) as had,
      (select value from deployment where name = '${LEAST_SCHEMA}') as least`,
  });
  const { had, least } = rows[0]!;
  const known = migrations.map(({ name }) => name);
  const pending = known.filter((name) => !had.includes(name));
  const later = had.filter((name) => !known.includes(name));
  const isWithin = pending.length === 0 && least !== null && least <= migrations.at(-1)!.number;
  return { pending, later, isOutdated: later.length > 0 && !isWithin };
}

async function findDue(on: Queryable, migrations: readonly Migration[]): Promise<readonly Migration[]> {
  // Releases before made the table of names first, and the rest only if that went well.
  const { rows } = await on.query<{ known: boolean }>({
    text: `select to_regclass('${TABLE}') is not null and to_regclass('deployment') is not null as known`,
  });
  if (!rows[0]!.known) return migrations;
  const { pending, later, isOutdated } = await findMigrations(on, migrations);
  if (isOutdated)
    throw new Error(`The database was migrated by a later release (${later.join(', ')}): use that, or a later one.`);
  return migrations.filter(({ name }) => pending.includes(name));
}

async function runDue(client: Patient, migrations: readonly Migration[]): Promise<string[]> {
  const due = await findDue(client, migrations);
  await assertNoneLeftBehind(client, due, due);
  let group: Migration[] = [];
  const runGroup = async () => {
    // Those before may have taken long, and a server may have started.
    await assertNoneLeftBehind(client, due, group);
    await runTogether(client, group);
    group = [];
  };
  for (const one of due) {
    if (one.least === one.number) group.push(one);
    else {
      await runGroup();
      await runBesideServers(client, one);
    }
  }
  await runGroup();
  return due.map(({ name }) => name);
}

/** The table `process` tells of the schema that a process knows since this migration. */
const TOLD_SINCE = '0029';

/** Where a migration of a group has to be known, those that serve without knowing it are stopped before: an operator's affair. */
async function assertNoneLeftBehind(
  client: Patient,
  due: readonly Migration[],
  group: readonly Migration[],
): Promise<void> {
  if (group.length === 0 || due.some(({ number }) => number <= TOLD_SINCE)) return;
  const serving = await untilNone(client, 'schema < $2', leastOf(group), (rows) => rows.some(({ again }) => again));
  const [first] = serving;
  if (first !== undefined)
    throw new Error(
      `The database is not migrated to ${due.at(-1)!.name}, beside which servers of an earlier release may not serve: stop them first (${serving.join(', ')}).`,
    );
}

/** The number of the newest migration that a server must know beside these. */
function leastOf(migrations: readonly Migration[]): string {
  return migrations
    .map(({ least }) => least)
    .sort()
    .at(-1)!;
}

/** Runs migrations in one transaction: all of them or none. */
async function runTogether(client: Patient, group: readonly Migration[]): Promise<void> {
  if (group.length === 0) return;
  await client.query('begin');
  try {
    for (const { text } of group) await client.query(text);
    await keepRan(client, group);
    await client.query('commit');
  } catch (error) {
    // Where the connection is lost too, the first error says why.
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

async function keepRan(client: Patient, ran: readonly Migration[]): Promise<void> {
  await client.query(
    `create table if not exists ${TABLE} (name varchar(255) primary key, "timestamp" varchar(255) not null)`,
  );
  await client.query({
    text: `insert into ${TABLE} (name, "timestamp") select name, to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') from unnest($1::text[]) name`,
    values: [ran.map(({ name }) => name)],
  });
  await client.query({
    text: `insert into deployment as d (name, value) values ('${LEAST_SCHEMA}', $1)
      on conflict (name) do update set value = greatest(d.value, excluded.value)`,
    values: [leastOf(ran)],
  });
}

/** An index that is made while rows are written, outside of transactions. */
const CONCURRENTLY = /^create (?:unique )?index concurrently (\w+)/m;

/** Runs a migration while servers write. */
async function runBesideServers(client: Patient, migration: Migration): Promise<void> {
  const [, index] = CONCURRENTLY.exec(migration.text) ?? [];
  if (index !== undefined) {
    // An attempt that was interrupted has left one that is not valid.
    await client.query(`drop index concurrently if exists ${index}`);
    await client.query(migration.text);
    await runTogether(client, [{ ...migration, text: '' }]);
    return;
  }
  // Whatever waits for a lock holds up all who come after it: so it gives way, and tries again.
  const patient = { ...migration, text: `set local lock_timeout = ${LOCK_PATIENCE};\n${migration.text}` };
  for (let tries = 1; ; tries += 1) {
    try {
      return await runTogether(client, [patient]);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error;
      if (tries === LOCK_TRIES)
        throw new Error(
          `${migration.name} was run ${tries} times, and found its tables locked: see pg_locks for who holds them.`,
        );
      await pause(Math.min(LOCK_PAUSE * 2 ** (tries - 1), LONGEST_LOCK_PAUSE));
    }
  }
}

/**
 * Milliseconds: longer than PostgreSQL's `deadlock_timeout`, at which autovacuum gives way, and shorter than a server waits before it
 * counts as not ready.
 */
const LOCK_PATIENCE = 1_500;

/** Milliseconds in which those who were held up go on: twice as long after each try. */
const LOCK_PAUSE = 1_000;
const LONGEST_LOCK_PAUSE = 30_000;

/** Three minutes in all: longer than any statement of a server. */
const LOCK_TRIES = 10;

const LOCK_NOT_AVAILABLE = '55P03';

/** A connection whose statements run without a timeout. */
interface Patient extends Queryable {
  query<R extends pg.QueryResultRow>(statement: string | pg.QueryConfig): Promise<pg.QueryResult<R>>;
}

/**
 * A connection whose statements run without a timeout, and find the tables first. It is closed when released, so that the settings
 * end with it.
 */
async function withoutTimeout(client: pg.PoolClient): Promise<Patient> {
  const patient: Patient = {
    query: <R extends pg.QueryResultRow>(statement: string | pg.QueryConfig) => {
      const { text, values } = typeof statement === 'string' ? { text: statement } : statement;
      return client.query<R>({ text, values, query_timeout: FOR_EVER } as pg.QueryConfig);
    },
  };
  await patient.query('set statement_timeout = 0; set lock_timeout = 0');
  await useTables(patient, 'session ends');
  return patient;
}

/** Milliseconds: the longest delay of a timer, 24 days. */
const FOR_EVER = 2 ** 31 - 1;

/** The number of the lock of whoever migrates: releases before 0.2.0 take it too. */
const MIGRATION_LOCK = 3_853_314_791_062_309_107n;

/** The number of the lock that servers share which spread tables. */
const DISTRIBUTION_LOCK = 4_207_002;

/** Milliseconds from one try for a lock to the next. */
const LOCK_LOOKS = 100;

/**
 * Runs `work` under the advisory lock of that number, which all servers share. Waits for it without a timeout, and in no statement: an
 * index that is made concurrently would wait for that in turn.
 */
export async function withLock<T>(
  pool: pg.Pool,
  number: number | bigint,
  work: (client: Patient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  // The next statement fails: an error that nothing hears would end the process.
  client.on('error', () => {});
  try {
    const patient = await withoutTimeout(client);
    const lock = { text: 'select pg_try_advisory_lock($1) as free', values: [String(number)] };
    while (!(await patient.query<{ free: boolean }>(lock)).rows[0]!.free) await pause(LOCK_LOOKS);
    return await work(patient);
  } finally {
    // Settings and lock end with the session.
    client.release(true);
  }
}
