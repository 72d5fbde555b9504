import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Postgres, startPostgres } from '@countersign/embedded-postgres';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { killPostgres, leaveNothingBehind, type Service, startService } from '../durability/service.js';
import { erasingLedger, erasureOf } from '../erasure/support.js';
import { newLedger, TestClient } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { stored as make } from '../support/scene.js';
import { seeded } from '../support/seed.js';
import { TEST_MASTER_KEY } from '../support/server.js';
import { auditLogs, rootsOf } from './audit.js';
import { LogReader } from './reading.js';

const WORKERS = 16;
const KILLS = process.env.LONG_TESTS ? 60 : 2;
/** Of PostgreSQL, and of single backends, in turns. */
const CRASHES = 150;

const random = seeded();

describe.skipIf(process.platform === 'win32')('a service that is killed while it seals', () => {
  let dataDir: string;
  let database: TestDatabase;
  let watcher: pg.Client;

  beforeAll(async () => {
    dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-log-')));
    database = await createMigratedDatabase();
    watcher = new pg.Client({ connectionString: database.url });
    await watcher.connect();
  });

  afterAll(async () => {
    await watcher?.end();
    await leaveNothingBehind(dataDir);
    await rm(dataDir, { recursive: true, force: true });
    await database.drop();
  });

  it('makes each acknowledged change exactly one leaf, and no two checkpoints contradict each other', async () => {
    const more = { DATABASE_URL: database.url, MASTER_KEY: TEST_MASTER_KEY.toString('base64') };
    let service: Service = await startService(dataDir, 2, more);
    let client = await newLedger(service.url);
    const seen = watch(watcher);
    const acknowledged: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const loaded = load(client, `k${kill}`, acknowledged);
      await seen.more(2);
      await pause(37 * (kill % 20));
      if (kill % 2 === 0) {
        await service.kill();
        await loaded;
        service = await startService(dataDir, 2, more);
        client = new TestClient(service.url, client.key, client.ledger);
      } else {
        for (const worker of service.workers().slice(0, 1)) process.kill(worker, 'SIGKILL');
        await loaded;
      }
    }
    await auditLogs(database.url);
    const checkpoints = await seen.stop();
    await expectOfOneTree(database.url, checkpoints);
    const { rows } = await watcher.query(`select handle from record where kind = 'wallet'`);
    const stored = new Set(rows.map(({ handle }) => handle));
    expect(acknowledged.filter((handle) => !stored.has(handle))).toEqual([]);
    if (process.env.LONG_TESTS)
      console.info({ kills: KILLS, acknowledged: acknowledged.length, checkpoints: checkpoints.size });
    expect(await service.stop()).toBe(0);
  });
});

describe.runIf(process.env.LONG_TESTS)('a service whose PostgreSQL is killed while it seals', () => {
  let dataDir: string;
  let own: string;
  let postgres: Postgres;

  beforeEach(async () => {
    own = await realpath(await mkdtemp(join(tmpdir(), 'countersign-log-')));
    dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-log-pg-')));
    // As durable as the service has it; restarted however often it is killed.
    const restarts = { times: CRASHES + 1, within: 3_600_000, respite: 100 };
    postgres = await startPostgres({ dataDir, name: 'countersign', log: () => {}, restarts, leastFree: 0 });
  });

  afterEach(async () => {
    await leaveNothingBehind(own);
    await postgres?.stop();
    for (const folder of [own, dataDir]) await rm(folder, { recursive: true, force: true });
  });

  it('makes each acknowledged change exactly one leaf, and no two checkpoints that a client saw contradict each other', async () => {
    const more = { DATABASE_URL: postgres.url, MASTER_KEY: TEST_MASTER_KEY.toString('base64') };
    const service = await startService(own, 2, more);
    const client = await eventually(() => erasingLedger(service.url));
    const seen = watchServed(await LogReader.of(client));
    const told = { acknowledged: [] as string[], erased: [] as string[], crashes: 0, backends: 0 };
    for (let kill = 0; kill < CRASHES; kill += 1) {
      const gone = await eventually(() => make(client, 'wallet', { handle: `gone-${kill}` }));
      await eventually(async () => expect((await client.drop(`/wallets/gone-${kill}`, gone)).status).toBe(204));
      const loaded = load(client, `p${kill}`, told.acknowledged);
      await seen.more(1);
      await pause(random() * 700);
      const erased = client.call('POST', `/wallets/${gone.luid}/erase`, erasureOf(gone.luid, 2, client.key));
      await pause(random() * 30);
      if (kill % 2 === 0) {
        await killPostgres(dataDir);
        told.crashes += 1;
      } else told.backends += await killBackend(postgres.url);
      await loaded;
      if ((await erased.catch(() => undefined))?.status === 200) told.erased.push(gone.luid);
      await eventually(async () => expect((await client.get('/wallets')).status).toBe(200));
    }
    await auditLogs(postgres.url);
    await seen.more(0);
    const checkpoints = await seen.stop();
    await expectOfOneTree(postgres.url, checkpoints);
    const watcher = new pg.Client({ connectionString: postgres.url });
    await watcher.connect();
    const wallets = await watcher.query(`select handle from record where kind = 'wallet'`);
    const texts = await watcher.query(`select luid from change where body is not null and action <> 'erase'`);
    await watcher.end();
    const stored = new Set(wallets.rows.map(({ handle }) => handle));
    const kept = new Set(texts.rows.map(({ luid }) => luid));
    expect(told.acknowledged.filter((handle) => !stored.has(handle))).toEqual([]);
    expect(told.erased.filter((luid) => kept.has(luid))).toEqual([]);
    const { crashes, backends, acknowledged, erased } = told;
    expect(crashes + backends).toBe(CRASHES);
    console.info({
      crashes,
      backends,
      acknowledged: acknowledged.length,
      erased: erased.length,
      checkpoints: checkpoints.size,
    });
    expect(await service.stop()).toBe(0);
  });
});

/** Ends a backend of the service at once, one that works where there is one: PostgreSQL then recovers as after a crash. */
async function killBackend(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query(
    `select pid from pg_stat_activity where application_name = 'countersign' and datname = current_database()
     order by (state <> 'idle') desc, random() limit 1`,
  );
  const { pid } = rows[0];
  process.kill(pid, 'SIGKILL');
  // All others are ended, this one, too.
  await eventually(() => expect(client.query('select 1')).rejects.toThrow());
  await client.end().catch(() => {});
  return 1;
}

/** Every checkpoint is of the tree that the log has now, at its size. */
async function expectOfOneTree(url: string, checkpoints: ReadonlySet<string>): Promise<void> {
  const roots = await rootsOf(url);
  for (const text of checkpoints) {
    const [origin, size, root] = text.split('\n');
    expect(roots(origin!, Number(size)), `the tree of ${size} leaves`).toBe(root);
  }
}

/** Creates wallets until a request fails. */
async function load(client: TestClient, prefix: string, acknowledged: string[]): Promise<void> {
  let isOver = false;
  const work = async (worker: number) => {
    for (let number = 0; !isOver; number += 1) {
      const handle = `${prefix}-${worker}-${number}`;
      const answer = await client.create('/wallets', { handle }).catch(() => undefined);
      if (answer?.status === 201) acknowledged.push(handle);
      else isOver = true;
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
}

/** Looks at the checkpoints all the time, as clients do who are shown each. */
function watch(client: pg.Client) {
  return watchBy(async () => {
    const { rows } = await client.query('select checkpoint from log where checkpoint is not null');
    return rows.map(({ checkpoint }) => checkpoint);
  });
}

/** The checkpoints of a log as they are served, whichever process answers. */
function watchServed(log: LogReader) {
  return watchBy(async () => {
    const answer = await log.get('checkpoint').catch(() => undefined);
    const text = await answer?.text().catch(() => '');
    return answer?.status === 200 && text ? [text] : [];
  });
}

function watchBy(look: () => Promise<readonly string[]>) {
  const seen = new Set<string>();
  let isOver = false;
  const ended = (async () => {
    while (!isOver) {
      for (const note of await look()) seen.add(note.split('\n\n')[0]!);
      await pause(10);
    }
  })();
  return {
    /** Waits for so many checkpoints that were not seen before. */
    async more(count: number) {
      const before = seen.size;
      await eventually(async () => expect(seen.size).toBeGreaterThanOrEqual(before + count));
    },
    async stop() {
      isOver = true;
      await ended;
      return seen;
    },
  };
}
