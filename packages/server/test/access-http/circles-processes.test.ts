import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { createDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { startServer, TEST_MASTER_KEY } from '../support/server.js';
import { revokedRounds } from './revocation.js';

const undo: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

describe('a circle signer that is dropped loses access at once (interface/circles#members)', {
  timeout: 120_000,
}, () => {
  it('on two servers of one database, under load', async () => {
    const database = await createDatabase();
    undo.push(() => database.drop());
    const servers = [await startServer({ database }), await startServer({ database })];
    for (const server of servers) undo.push(() => server.stop());
    await revokedRounds(
      servers.map((server) => server.url),
      12,
    );
  });

  it('on two processes of one database, under load', async () => {
    const database = await createDatabase();
    undo.push(() => database.drop());
    const folder = await mkdtemp(join(tmpdir(), 'countersign-processes-'));
    undo.push(() => rm(folder, { recursive: true }));
    const urls = await Promise.all([startProcess(database.url, folder), startProcess(database.url, folder)]);
    expect(urls[0]).not.toBe(urls[1]);
    await revokedRounds(urls, 10);
  });
});

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Starts the built server as a process of its own; gives its URL. */
async function startProcess(databaseUrl: string, dataDir: string): Promise<string> {
  const port = await freePort();
  const env = {
    ...process.env,
    PORT: String(port),
    HOST: '127.0.0.1',
    WORKERS: '1',
    PUBLIC_URL: '',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
    LOG_LEVEL: 'error',
  };
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  undo.push(() => ended(child));
  const [line] = (await Promise.race([once(child.stdout, 'data'), failed(child)])) as [Buffer];
  const url = /http:\S+/.exec(line.toString())?.[0];
  if (url === undefined) throw new Error(`The server said: ${line.toString()}`);
  return url;
}

async function failed(child: ChildProcess): Promise<never> {
  const [status] = (await once(child, 'exit')) as [number | null];
  throw new Error(`The server ended with ${status}.`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
