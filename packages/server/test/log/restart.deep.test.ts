import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkConsistency, emptyRoot } from '@countersign/protocol/log';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { Cli } from '../../../cli/test/support/cli.js';
import { runLogRestart } from '../../src/archive/operator.js';
import { LogStopped } from '../../src/log/publish.js';
import { newLedger, TestClient } from '../support/client.js';
import { copyDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import { type RunningServer, startServer, TEST_MASTER_KEY } from '../support/server.js';
import { readSealedLog, sealedLog } from '../support/witness.js';
import { auditLogs } from './audit.js';

const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

const write = (client: TestClient, handle: string) => stored(client, 'symbol', { handle, factor: 100 });

async function serverOn(database: TestDatabase, dataDir: string): Promise<RunningServer> {
  const running = await startServer({ database, dataDir });
  undo.push(() => running.stop());
  return running;
}

/** Shows what is sealed of a ledger. */
async function show({ server, database }: RunningServer, { ledger }: TestClient) {
  const log = await sealedLog(database.url, ledger!);
  const shown = await server.service.logs.current(log.ledger, log.size);
  expect(shown).toMatchObject({ size: log.size, origin: log.origin });
  return shown!;
}

/** A ledger of which more was shown than the database has after a restore of its backup. */
async function restored(writes: { before: number; after: number }) {
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-fence-'));
  undo.push(() => rm(dataDir, { recursive: true }));
  const first = await startServer({ dataDir });
  undo.push(() => first.database.drop());
  const client = await newLedger(first.url);
  for (let at = 0; at < writes.before; at += 1) await write(client, `before-${at}`);
  await show(first, client);
  await first.server.close();
  const backup = await copyDatabase(first.database);
  undo.push(() => backup.drop());
  const going = await startServer({ database: first.database, dataDir });
  const lost = new TestClient(going.url, client.key, client.ledger);
  for (let at = 0; at < writes.after; at += 1) await write(lost, `lost-${at}`);
  const shown = await show(going, lost);
  await going.server.close();
  return { dataDir, backup, client, shown };
}

async function isStopped({ database }: Pick<RunningServer, 'database'>, { ledger }: TestClient): Promise<string> {
  return eventually(async () => {
    const { stopped } = await readSealedLog(database.url, ledger!);
    expect(stopped).not.toBeNull();
    return stopped!;
  });
}

const settingsOf = ({ url }: TestDatabase) => ({
  DATABASE_URL: url,
  MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
});

/** Restarts a log as the operator's command does. */
function restart(backup: TestDatabase, dataDir: string, ledger: string) {
  return runLogRestart({ settings: { ...settingsOf(backup), DATA_DIR: dataDir }, now: Date.now, ledger });
}

/** Calls the operator's command. */
async function byCommand(backup: TestDatabase, dataDir: string, ledger: string, ...more: string[]) {
  return new Cli(dataDir, settingsOf(backup)).call(['log', 'restart', ledger, '--data', dataDir, '--json', ...more]);
}

describe('a database that has gone back behind what was shown', () => {
  it('seals nothing and shows nothing, until an operator begins a new generation', async () => {
    const { dataDir, backup, client, shown } = await restored({ before: 2, after: 3 });
    const running = await serverOn(backup, dataDir);
    const now = new TestClient(running.url, client.key, client.ledger);
    // Writes go on.
    for (let at = 0; at < 2; at += 1) await write(now, `since-${at}`);
    expect(await isStopped(running, client)).toBe(`it has ${shown.size - 3} leaves, and ${shown.size} were shown`);
    const log = await readSealedLog(backup.url, client.ledger!);
    await expect(running.server.service.logs.current(log.ledger)).rejects.toThrow(LogStopped);
    expect(await running.server.metrics.registry.metrics()).toMatch(/countersign_log_stopped\{[^}]*\} 1\n/);

    const outcome = await byCommand(backup, dataDir, client.ledger!, '--yes');
    expect(outcome.code, outcome.err).toBe(0);
    expect(outcome.json).toMatchObject({ generation: 2, origin: `${shown.origin}/2`, checkpoint: shown.note });
    await auditLogs(backup.url);
    const again = await show(running, client);
    expect(again).toMatchObject({ generation: 2, origin: `${shown.origin}/2` });
    // Of the fence: the database has an older one.
    expect((await readSealedLog(backup.url, client.ledger!)).predecessor).toBe(shown.note);
    // The lost ones are gone; what was there, the two since, and the leaf about the old log.
    expect(again.size).toBe(shown.size - 3 + 2 + 1);
    for (let at = 0; at < 300; at += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, one) => write(now, `later-${at + one}`)));
    }
    await auditLogs(backup.url);
    const later = await show(running, client);
    const proof = await running.server.service.logs.consistency(log.ledger, again.size, later.size);
    expect(checkConsistency({ old: again.size, oldRoot: again.root, size: later.size, root: later.root, proof })).toBe(
      true,
    );
    expect((await readdir(join(dataDir, 'log-fence'))).length).toBe(2);
  });

  it('is found when other leaves make up for the lost ones', async () => {
    const { dataDir, backup, client, shown } = await restored({ before: 1, after: 1 });
    // Sealed by a server that does not know what was shown.
    const elsewhere = await startServer({ database: backup });
    const unaware = new TestClient(elsewhere.url, client.key, client.ledger);
    for (let at = 0; at < 4; at += 1) await write(unaware, `other-${at}`);
    await sealedLog(backup.url, client.ledger!);
    await elsewhere.server.close();
    const running = await serverOn(backup, dataDir);
    const { ledger } = await readSealedLog(backup.url, client.ledger!);
    await expect(running.server.service.logs.current(ledger)).rejects.toThrow(
      `it does not begin with the ${shown.size} leaves that were shown`,
    );
    const begun = await restart(backup, dataDir, client.ledger!);
    expect(begun).toMatchObject({ generation: 2, last: { note: shown.note } });
    await auditLogs(backup.url);
    expect(Buffer.from((await show(running, client)).root).equals(emptyRoot())).toBe(false);
  });

  it('gives no generation twice, when it goes back to before the new one', async () => {
    const { dataDir, backup, client } = await restored({ before: 1, after: 2 });
    // No server has seen it yet.
    expect((await readSealedLog(backup.url, client.ledger!)).stopped).toBeNull();
    const second = await copyDatabase(backup);
    undo.push(() => second.drop());
    expect((await restart(backup, dataDir, client.ledger!)).generation).toBe(2);
    const showing = await startServer({ database: backup, dataDir });
    const { note } = await show(showing, client);
    await showing.server.close();
    const again = await restart(second, dataDir, client.ledger!);
    expect(again).toMatchObject({ generation: 3, last: { note } });
    const running = await serverOn(second, dataDir);
    await auditLogs(second.url);
    expect((await show(running, client)).generation).toBe(3);
  });
});

describe('countersign log restart', () => {
  it('leaves alone what is sound, unknown or not confirmed', async () => {
    const { dataDir, backup, client } = await restored({ before: 1, after: 0 });
    const { ledger } = client;
    const firstLine = async (...args: [string, ...string[]]) => {
      const { code, err } = await byCommand(backup, dataDir, ...args);
      return [code, JSON.parse(err).error.detail];
    };
    const before = await readSealedLog(backup.url, ledger!);
    expect(await firstLine(ledger!, '--yes')).toEqual([
      4,
      `The log of ledger ${ledger} is not stopped: it goes on as it is.`,
    ]);
    expect(await firstLine('nobody', '--yes')).toEqual([4, 'There is no log of a ledger nobody.']);
    await expect(restart(backup, dataDir, ledger!)).rejects.toThrow('is not stopped: it goes on as it is.');
    expect((await firstLine(ledger!))[0]).toBe(2);
    expect(await readSealedLog(backup.url, ledger!)).toEqual(before);
    const database = new pg.Client({ connectionString: backup.url });
    await database.connect();
    await database.query(`update log set stopped = 'by hand'`);
    await database.end();
    expect((await restart(backup, dataDir, ledger!)).stopped).toBe('by hand');
  });
});
