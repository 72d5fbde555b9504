import { join } from 'node:path';
import type { Postgres } from '@countersign/embedded-postgres';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openServer, type Server } from '../../src/app.js';
import { createEpochGuard, type EpochGuard } from '../../src/store/epoch-guard.js';
import { createPool } from '../../src/store/pool.js';
import { everythingFor, founded, GATE, registered } from '../access-http/support.js';
import { type Cable, layCable } from '../store/cable.js';
import { newKey, type TestAnswer, TestClient } from '../support/client.js';
import { makeDataDir } from '../support/database.js';
import { ok, stored } from '../support/scene.js';
import { TEST_MASTER_KEY } from '../support/server.js';
import { bearer } from '../support/token.js';
import { asked, Clusters, copyFolder, putBack, startStandby, until } from './cluster.js';

const PATIENCE = 120_000;

/** A ledger server that is never restarted, whatever becomes of its database. */
interface Survivor {
  readonly url: string;
  readonly server: Server;
}

let clusters: Clusters;
const servers: Server[] = [];
const cables: Cable[] = [];

beforeAll(() => {
  clusters = new Clusters();
});

afterAll(async () => {
  for (const server of servers) await server.close();
  for (const cable of cables) await cable.close();
  await clusters.end();
}, PATIENCE);

async function serve(database: string): Promise<Survivor> {
  const server = await openServer({
    database: { connectionString: database },
    masterKey: TEST_MASTER_KEY,
    publicUrl: 'https://ledger.example/v2',
    name: 'test',
    build: '0.0.0',
    logger: pino({ level: 'silent' }),
  });
  servers.push(server);
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.app.server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/v2`, server };
}

async function cableTo(database: Postgres): Promise<Cable> {
  const cable = await layCable(database.url);
  cables.push(cable);
  return cable;
}

/** The guard of a process that has seen the database. */
async function guardOf(url: string): Promise<EpochGuard> {
  const pool = createPool({ connectionString: url, max: 1 }, () => {});
  const guard = await createEpochGuard(pool, { epochBegan: () => {} });
  await pool.end();
  await verified(guard, url);
  return guard;
}

/** Has a guard look at a new connection, as the pools do. */
async function verified(guard: EpochGuard, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    await guard.verify(client);
  } finally {
    await client.end();
  }
}

const at = (client: TestClient, { url }: Survivor) => new TestClient(url, client.key, client.ledger);

const WALLETS = ['w-1', 'w-2', 'w-3', 'w-4'];

/** What is there before anything is lost. */
async function scene({ url }: Survivor) {
  const founder = await founded(url, [GATE]);
  for (const handle of WALLETS) await stored(founder, 'wallet', { handle });
  return founder;
}

const reading = (client: TestClient) => bearer(client.key);

async function everyWallet(client: TestClient): Promise<TestAnswer[]> {
  const paths = WALLETS.map((handle) => `/wallets/${handle}`);
  return Promise.all([...paths, '/wallets', '/wallets/w-1/changes'].map((path) => client.get(path, reading(client))));
}

/** Each wallet is updated, and read again in every way, so that whoever remembers versions remembers these. */
async function update(client: TestClient, word: string): Promise<void> {
  for (const handle of WALLETS) {
    const { body } = ok(await client.get(`/wallets/${handle}`, reading(client)));
    ok(await client.update(`/wallets/${handle}`, body, { handle, custom: { word } }));
  }
  for (const answer of await everyWallet(client)) expect(ok(answer).text).toContain(word);
}

/** More writes than were lost: what was lost is not told by how far the database has come. */
async function writeMuch(client: TestClient): Promise<void> {
  const custom = { text: 'x'.repeat(200_000) };
  for (let number = 0; number < 5; number += 1) await stored(client, 'wallet', { handle: `more-${number}`, custom });
}

const epochIn = async (url: string) =>
  (await asked(url, `select value from deployment where name = 'epoch'`))[0].value as string;

/** Waits until the server has found the database again. */
async function back(client: TestClient): Promise<void> {
  await until(async () => (await client.get('/wallets?page.limit=1', reading(client))).status === 200);
}

async function expectNothingLostIsAnswered(client: TestClient): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    for (const answer of await everyWallet(client)) {
      expect(answer.status, answer.text).toBe(200);
      expect(answer.text).toContain('kept');
      expect(answer.text).not.toContain('lost');
    }
  }
}

describe('a server that is not restarted', () => {
  it('answers nothing of what a standby that took over has not', { timeout: PATIENCE }, async () => {
    const dataDir = await clusters.folder();
    makeDataDir(dataDir);
    const primary = await clusters.start(dataDir);
    const cable = await cableTo(primary);
    const survivor = await serve(cable.url);
    const guard = await guardOf(primary.url);
    const client = await scene(survivor);
    const mallory = newKey();
    const standby = await startStandby(clusters, primary, dataDir);
    cables.push(standby.cable);
    await standby.caughtUp();
    await standby.cable.cut();

    await update(client, 'lost');
    // Another ledger gets the number that this one had; and rights that were lost with it were nobody's.
    const gone = await scene(survivor);
    ok(await gone.get('/wallets/w-1', reading(gone)));
    const { body: ledger } = ok(await client.get('/ledger', reading(client)));
    const { parent: _, config: __, ...data } = ledger.data;
    ok(await client.update('/ledger', ledger, { ...data, access: [...data.access, ...everythingFor(mallory)] }));
    await stored(client.as(mallory), 'wallet', { handle: 'by-mallory' });
    const lostSigner = await registered(client, 'lost-signer');
    ok(await client.as(lostSigner).get('/wallets/w-1', reading(client)));
    await clusters.kill(dataDir, primary);
    await cable.cut();

    // Until it is the primary it knows less than what was answered, and takes no writes.
    cable.lead(await standby.url());
    await cable.mend();
    for (const answer of await everyWallet(client)) expect(answer.status).toBe(503);
    await expect(verified(guard, await standby.url())).rejects.toThrow('The database is a standby');
    await cable.cut();
    const promoted = await standby.promote();
    cable.lead(promoted.url);
    const other = await serve(promoted.url);
    await update(at(client, other), 'kept');
    await scene(other);
    await cable.mend();
    await back(client);

    await expectNothingLostIsAnswered(client);
    expect((await client.as(mallory).create('/wallets', { handle: 'again' })).status).toBe(403);
    expect((await client.get('/wallets/by-mallory', reading(client))).status).toBe(404);
    expect((await gone.get('/wallets/w-1', reading(gone))).status).toBe(404);
    await update(client, 'kept again');
    await update(at(client, other), 'kept once more');
    // One of the two moved the ledgers on, the other found that it was done.
    expect(await epochIn(promoted.url)).toBe('1');

    // The old one comes back, and does not know that it was left.
    const left = await clusters.start(dataDir);
    cable.lead(left.url);
    await cable.cut();
    await cable.mend();
    for (const answer of await everyWallet(client)) expect(answer.status).toBe(503);
    await verified(guard, promoted.url);
    await expect(verified(guard, left.url)).rejects.toThrow('The database is on a timeline that was left');
    cable.lead(promoted.url);
    await cable.cut();
    await cable.mend();
    await back(client);
    for (const answer of await everyWallet(client)) expect(ok(answer).text).toContain('kept once more');
    expect(await epochIn(promoted.url)).toBe('1');
  });

  it('answers nothing of what a copy that was put back has not', { timeout: PATIENCE }, async () => {
    const dataDir = await clusters.folder();
    makeDataDir(dataDir);
    const copy = join(await clusters.folder(), 'copy');
    let database = await clusters.start(dataDir);
    const cable = await cableTo(database);
    const survivor = await serve(cable.url);
    const client = await scene(survivor);
    const restart = async (between: () => Promise<void>, how: 'stop' | 'kill' = 'stop') => {
      await cable.cut();
      await (how === 'stop' ? clusters.stop(database) : clusters.kill(dataDir, database));
      await between();
      database = await clusters.start(dataDir);
      cable.lead(database.url);
    };
    await restart(() => copyFolder(join(dataDir, 'postgres'), copy));
    await cable.mend();
    await back(client);
    // Nothing was lost so far, nor is by a crash.
    await update(client, 'kept at first');
    await restart(async () => {}, 'kill');
    await cable.mend();
    await back(client);
    for (const answer of await everyWallet(client)) expect(ok(answer).text).toContain('kept at first');
    expect(await epochIn(database.url)).toBe('0');

    await update(client, 'lost');
    await restart(() => putBack(copy, join(dataDir, 'postgres')));
    // Another process comes first, and goes far beyond what was lost.
    const other = await serve(database.url);
    for (const word of ['kept early', 'kept']) await update(at(client, other), word);
    await writeMuch(at(client, other));
    await cable.mend();
    await back(client);

    await expectNothingLostIsAnswered(client);
    await update(client, 'kept again');
    await update(at(client, other), 'kept once more');
    expect(await epochIn(database.url)).toBe('1');
  });
});
