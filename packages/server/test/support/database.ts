import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../../src/store/embedded.js';
import { migrate } from '../../src/store/migrate.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Connection string of a PostgreSQL whose role may make databases. */
    databaseUrl: string;
    /** A database of it that holds the schema and nothing else, to make others of. */
    migrated: string;
  }
}

/** A database that one test or file has to itself. */
export interface TestDatabase {
  readonly url: string;
  /** Deletes it; connections that are still open are cut. */
  drop(): Promise<void>;
}

/** Runs once for the whole run: starts the PostgreSQL of the tests, unless TEST_DATABASE_URL names one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const { url, stop } = given ? { url: given, stop: async () => {} } : await startOwn();
  const migrated = await createDatabaseIn(url, 'template0');
  try {
    await migrateAll(migrated.url);
  } catch (error) {
    await migrated.drop();
    await stop();
    throw error;
  }
  project.provide('databaseUrl', url);
  project.provide('migrated', new URL(migrated.url).pathname.slice(1));
  return async () => {
    await migrated.drop();
    await stop();
  };
}

async function startOwn(): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-test-'));
  const log: string[] = [];
  try {
    const database = await startEmbedded({ dataDir: folder, workers: 1, log: (line) => log.push(line) });
    void database.exited.then((error) => console.error(`${error.message}\n${log.slice(-20).join('\n')}`));
    const stop = async () => {
      await database.stop();
      await rm(folder, { recursive: true });
    };
    return { url: database.url, stop };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function migrateAll(url: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    await migrate(pool);
  } finally {
    await pool.end();
  }
}

/** Makes an empty database of a name of its own. */
export function createDatabase(): Promise<TestDatabase> {
  return createDatabaseIn(inject('databaseUrl'), 'template0');
}

/** Makes one that holds the schema: the migrations, which servers would begin with, run once for all tests. */
export function createMigratedDatabase(): Promise<TestDatabase> {
  return createDatabaseIn(inject('databaseUrl'), inject('migrated'));
}

async function createDatabaseIn(server: string, template: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await run(server, `create database ${name} template ${template}`);
  // Nothing here is lost by a crash that is not the test's own business: those tests start a service of their own.
  await run(server, `alter database ${name} set synchronous_commit = off`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => run(server, `drop database if exists ${name} with (force)`) };
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
