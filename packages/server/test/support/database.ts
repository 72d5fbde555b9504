import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../../src/store/embedded.js';
import { migrate } from '../../src/store/migrate.js';
import { createPool } from '../../src/store/pool.js';
import { cachedClusters, copyCluster } from './clusters.js';
import { allowConnections, joinNodes, keepForCopies, nodesOf } from './nodes.js';
import { closeSql, runSql } from './sql.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Connection string of a PostgreSQL whose role may make databases. */
    databaseUrl: string;
    /** A database of it that holds the schema and nothing else, to make others of. */
    migrated: string;
    /** A data directory of the service after a first start, or nothing; see `makeDataDir`. */
    dataDir: string;
    /** The words of `create database` by which it copies one with the least work. */
    copying: string;
  }
}

/** A database that one test or file has to itself. */
export interface TestDatabase {
  readonly url: string;
  /** Deletes it; connections that are still open are cut. */
  drop(): Promise<void>;
}

/** Runs once for the whole run: starts the PostgreSQL of the tests, unless TEST_DATABASE_URL, or CITUS_TEST_URL, names one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.CITUS_TEST_URL || process.env.TEST_DATABASE_URL;
  const { url, migrated, made, copying, stop } = given ? await useGiven(given) : await startOwn();
  project.provide('databaseUrl', url);
  project.provide('dataDir', made);
  project.provide('copying', copying);
  project.provide('migrated', migrated);
  return stop;
}

/** What the tests need of a PostgreSQL. */
interface Provided {
  readonly url: string;
  readonly migrated: string;
  readonly made: string;
  readonly copying: string;
  stop(): Promise<void>;
}

async function useGiven(url: string): Promise<Provided> {
  const migrated = await createDatabaseIn(url, 'template0', '');
  try {
    await migrateAll(migrated.url);
    await keepForCopies(migrated.url);
  } catch (error) {
    await migrated.drop();
    throw error;
  }
  return { url, migrated: new URL(migrated.url).pathname.slice(1), made: '', copying: '', stop: migrated.drop };
}

/** Files are copied between two checkpoints, which take long where they wait for the disk. */
const FILE_COPY = 'strategy file_copy';

/** The database of the cached cluster that holds the schema. */
const MIGRATED = 'test_migrated';

async function startOwn(): Promise<Provided> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-test-')));
  const made = join(folder, 'made');
  try {
    await mkdir(made, { mode: 0o711 });
    const cached = await cachedClusters(makeClusters);
    copyCluster(cached.made, made);
    copyCluster(cached.migrated, folder);
    const database = await startHasty(folder);
    const stop = async () => {
      await database.stop();
      await rm(folder, { recursive: true });
    };
    return { url: database.url, migrated: MIGRATED, made, copying: FILE_COPY, stop };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Fills the folders `made`, a cluster after a first start of the service, and `migrated`, one that also holds the schema. */
async function makeClusters(made: string, migrated: string): Promise<void> {
  await (await startEmbedded({ dataDir: made, workers: 1, log: () => {} })).stop();
  copyCluster(made, migrated);
  const database = await startHasty(migrated);
  try {
    await cheapenPassword(database.url);
    await runSql(database.url, `create database ${MIGRATED} template template0 ${FILE_COPY}`);
    const url = new URL(database.url);
    url.pathname = `/${MIGRATED}`;
    await migrateAll(url.href);
  } finally {
    await closeSql(database.url);
    await database.stop();
  }
}

async function startHasty(dataDir: string): Promise<Awaited<ReturnType<typeof startEmbedded>>> {
  const log: string[] = [];
  // With connections for many servers.
  const database = await startEmbedded({ dataDir, workers: 20, settings: HASTY, log: (line) => log.push(line) });
  void database.exited.then((error) => console.error(`${error.message}\n${log.slice(-20).join('\n')}`));
  return database;
}

/**
 * Spares what only a crash or years of use would need: tests about these start a service of their own. They stand in for the
 * service's settings, since those of its command line override `alter system`.
 */
const HASTY = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_compression: 'off',
  autovacuum: 'off',
  // Each connection would plan its first five statements of a sort anew: most of what it does for a test.
  plan_cache_mode: 'force_generic_plan',
};

/** Keeps the password, and makes it cheaper to verify: each file opens some ten connections. */
async function cheapenPassword(url: string): Promise<void> {
  const { username, password } = new URL(url);
  await runSql(url, `set scram_iterations = 1; alter role "${username}" password '${password}'`);
}

/** Has the next start of a service in the folder be a second one, for tests that are not about the first: it takes seconds less. */
export function makeDataDir(folder: string): void {
  const made = inject('dataDir');
  if (made !== '') copyCluster(made, folder);
}

async function migrateAll(url: string): Promise<void> {
  // Those of a plain pool would end the process when they are cut before they are closed.
  const pool = createPool({ connectionString: url, max: 1 }, () => {});
  try {
    await migrate(pool);
  } finally {
    await pool.end();
  }
}

/** Makes an empty database of a name of its own. */
export function createDatabase(): Promise<TestDatabase> {
  return createDatabaseIn(inject('databaseUrl'), 'template0', inject('copying'));
}

/** Makes one that holds the schema: the migrations, which servers would begin with, run once for all tests. */
export function createMigratedDatabase(): Promise<TestDatabase> {
  return createDatabaseIn(inject('databaseUrl'), inject('migrated'), inject('copying'));
}

/** Copies a database that nobody is connected to, as a backup does. */
export async function copyDatabase({ url }: Pick<TestDatabase, 'url'>): Promise<TestDatabase> {
  await keepForCopies(url);
  try {
    return await createDatabaseIn(inject('databaseUrl'), new URL(url).pathname.slice(1), inject('copying'));
  } finally {
    await allowConnections(url);
  }
}

async function createDatabaseIn(server: string, template: string, copying: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const nodes = await nodesOf(server);
  // One after the other: two copies of a template at a time wait for each other.
  for (const node of nodes) await runSql(node, `create database ${name} template ${template} ${copying}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  if (nodes.length > 1 && template === 'template0') await joinNodes(url.href, nodes);
  // Settings of a database are not copied.
  if (nodes.length > 1 && template !== 'template0')
    await runSql(server, `alter database ${name} set search_path = cluster, public`);
  return {
    url: url.href,
    async drop() {
      await closeSql(url.href);
      for (const node of nodes) await runSql(node, `drop database if exists ${name} with (force)`);
    },
  };
}
