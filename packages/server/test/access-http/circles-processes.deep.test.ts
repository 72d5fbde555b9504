import { afterEach, describe, expect, it } from 'vitest';
import { startServerProcess } from '../deliveries/process.js';
import { createMigratedDatabase } from '../support/database.js';
import { startServer } from '../support/server.js';
import { revokedRounds } from './revocation.js';

const ROUNDS = process.env.LONG_TESTS ? 12 : 4;

const undo: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

describe('a circle signer that is dropped loses access at once (interface/circles#members)', {
  timeout: 120_000,
}, () => {
  it('on two servers of one database, under load', async () => {
    const database = await createMigratedDatabase();
    undo.push(() => database.drop());
    const servers = [await startServer({ database }), await startServer({ database })];
    for (const server of servers) undo.push(() => server.stop());
    await revokedRounds(
      servers.map((server) => server.url),
      ROUNDS,
    );
  });

  it('on two processes of one database, under load', async () => {
    const database = await createMigratedDatabase();
    undo.push(() => database.drop());
    const urls = await Promise.all([startProcess(database.url), startProcess(database.url)]);
    expect(urls[0]).not.toBe(urls[1]);
    await revokedRounds(urls, ROUNDS);
  });
});

/** Starts the built server as a process of its own; gives its URL. */
async function startProcess(database: string): Promise<string> {
  const { url, child, ended } = await startServerProcess({ database });
  undo.push(() => {
    child.kill('SIGTERM');
    return ended;
  });
  return url;
}
