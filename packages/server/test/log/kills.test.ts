import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveNothingBehind, type Service, startService } from '../durability/service.js';
import { newLedger, TestClient } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { TEST_MASTER_KEY } from '../support/server.js';
import { auditLogs, rootsOf } from './audit.js';

const WORKERS = 16;
const KILLS = process.env.LONG_TESTS ? 60 : 2;

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
    const roots = await rootsOf(database.url);
    for (const text of checkpoints) {
      const [origin, size, root] = text.split('\n');
      expect(roots(origin!, Number(size)), `the tree of ${size} leaves`).toBe(root);
    }
    const { rows } = await watcher.query(`select handle from record where kind = 'wallet'`);
    const stored = new Set(rows.map(({ handle }) => handle));
    expect(acknowledged.filter((handle) => !stored.has(handle))).toEqual([]);
    if (process.env.LONG_TESTS)
      console.info({ kills: KILLS, acknowledged: acknowledged.length, checkpoints: checkpoints.size });
    expect(await service.stop()).toBe(0);
  });
});

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
  const seen = new Set<string>();
  let isOver = false;
  const ended = (async () => {
    while (!isOver) {
      const { rows } = await client.query('select checkpoint from log where checkpoint is not null');
      for (const { checkpoint } of rows) seen.add(checkpoint.split('\n\n')[0]);
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
