import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../../src/store/embedded.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Connection string of a PostgreSQL whose role may make databases. */
    databaseUrl: string;
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
  if (given) {
    project.provide('databaseUrl', given);
    return async () => {};
  }
  const folder = await mkdtemp(join(tmpdir(), 'countersign-test-'));
  const log: string[] = [];
  try {
    const database = await startEmbedded({ dataDir: folder, workers: 1, log: (line) => log.push(line) });
    void database.exited.then((error) => console.error(`${error.message}\n${log.slice(-20).join('\n')}`));
    project.provide('databaseUrl', database.url);
    return async () => {
      await database.stop();
      await rm(folder, { recursive: true });
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Makes an empty database of a name of its own. */
export async function createDatabase(): Promise<TestDatabase> {
  const server = inject('databaseUrl');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await run(server, `create database ${name} template template0`);
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
