import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from './database.js';

/** All of the server in a few files, which load in a third of the time (scripts/testing/bundle.mjs). */
export const BUNDLED = fileURLToPath(new URL('../.bundle/main.js', import.meta.url));

let folder: string;
let children: ChildProcess[];
let databases: TestDatabase[];

/** Gives each test of a file a folder of its own, and ends what it has started. */
export function withStarts(): { readonly folder: string; readonly dataDir: string } {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-start-'));
    children = [];
    databases = [];
  });

  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    for (const database of databases) await database.drop();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    get folder() {
      return folder;
    },
    get dataDir() {
      return dataDir();
    },
  };
}

/** A database that goes when the test has ended. */
export async function newDatabase(make = createMigratedDatabase): Promise<TestDatabase> {
  const database = await make();
  databases.push(database);
  return database;
}

const dataDir = () => join(folder, 'data');

/** What a start printed, and how it ended; one that serves is stopped as soon as it says so. */
export async function start(
  settings: Record<string, string>,
  args = [BUNDLED],
  err: 'pipe' | number = 'pipe',
  heard: (err: string) => void = () => {},
) {
  const { DATABASE_URL: _, MASTER_KEY: __, PUBLIC_URL: ___, ...inherited } = process.env;
  const env = { ...inherited, DATA_DIR: dataDir(), WORKERS: '1', DATABASE_WAIT: '0', ...settings };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', err] });
  children.push(child);
  const said = { out: '', err: '' };
  child.stdout!.on('data', (text: Buffer) => {
    said.out += text;
    if (said.out.includes('listening on')) child.kill('SIGTERM');
  });
  child.stderr?.on('data', (text: Buffer) => {
    said.err += text;
    heard(said.err);
  });
  const [code] = await once(child, 'close');
  return { code: code as number | null, ...said };
}

/** The start was refused with this one line and nothing else. */
export function expectLine(outcome: Awaited<ReturnType<typeof start>>, line: string): void {
  expect(outcome).toEqual({ code: 1, out: '', err: `countersign: ${line}\n` });
}
