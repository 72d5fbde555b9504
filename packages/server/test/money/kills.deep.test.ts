import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killPostgres, leaveNothingBehind, type Service, startService } from '../durability/service.js';
import { query } from '../events/support.js';
import { auditLogs } from '../log/audit.js';
import { newLedger, signed, type TestAnswer, TestClient } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { seeded } from '../support/seed.js';
import { TEST_MASTER_KEY } from '../support/server.js';
import { checkBooks } from './invariants.js';
import { checkReplay } from './replay.js';
import { issue, transfer } from './scene.js';

const WORKERS = 12;
const WALLETS = 8;
/** Of the service, then of one process of two, in turns of three. */
const KILLS = process.env.LONG_TESTS ? 200 : 2;
const CRASHES = 20;

const random = seeded();

interface Intent {
  readonly handle: string;
  readonly body: object;
  isAcknowledged: boolean;
}

/** Moves money at random between wallets until the service is gone, or `stop` is called. */
function load(client: TestClient, prefix: string) {
  const sent: Intent[] = [];
  let stopped = false;
  const work = async (worker: number) => {
    for (let number = 0; !stopped; number += 1) {
      const handle = `${prefix}-${worker}-${number}`;
      const [from, to] = [Math.floor(random() * WALLETS), Math.floor(random() * WALLETS)];
      const claims = [transfer(`w${from}`, `w${to}`, 1 + Math.floor(random() * 40))];
      const intent: Intent = { handle, body: signed({ handle, claims }, client.key), isAcknowledged: false };
      sent.push(intent);
      const answer = await client.call('POST', '/intents', intent.body).catch(() => undefined);
      if (answer?.status === 201) intent.isAcknowledged = true;
      else stopped = true;
    }
  };
  const ended = Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
  return {
    sent,
    async until(count: number) {
      while (!stopped && sent.filter((one) => one.isAcknowledged).length < count) await pause(2);
    },
    async stop() {
      stopped = true;
      await ended;
    },
  };
}

/** Asks again where a connection has ended with the process that it led to. */
function patiently(ask: () => Promise<TestAnswer>): Promise<TestAnswer> {
  return eventually(ask);
}

/** Every acknowledged intent is there, and each that was not can be sent again. @returns how many had their answer lost */
async function expectKept(client: TestClient, sent: readonly Intent[]): Promise<number> {
  const kept = sent.map(async ({ body, handle, isAcknowledged }) => {
    if (isAcknowledged) {
      const { status } = await patiently(() => client.get(`/intents/${handle}`));
      expect(status, handle).toBe(200);
      return 0;
    }
    const again = await patiently(() => client.call('POST', '/intents', body));
    expect([200, 201], again.text).toContain(again.status);
    return again.status === 200 ? 1 : 0;
  });
  return (await Promise.all(kept)).reduce((sum: number, one) => sum + one, 0);
}

async function makeLedger(url: string): Promise<TestClient> {
  const client = await newLedger(url);
  await stored(client, 'symbol', { handle: 'usd', factor: 1 });
  const handles = Array.from({ length: WALLETS }, (_, n) => `w${n}`);
  for (const handle of handles) await stored(client, 'wallet', { handle });
  ok(await client.create('/intents', { handle: 'first', claims: handles.map((handle) => issue(handle, 100)) }));
  return client;
}

describe.skipIf(process.platform === 'win32')('the service', () => {
  let dataDir: string;
  let database: TestDatabase;

  beforeAll(async () => {
    dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-money-')));
    database = await createMigratedDatabase();
  });

  afterAll(async () => {
    await leaveNothingBehind(dataDir);
    await rm(dataDir, { recursive: true, force: true });
    await database.drop();
  });

  it('is killed under load, again and again: no intent is lost, none is settled twice', async () => {
    const more = { DATABASE_URL: database.url, MASTER_KEY: TEST_MASTER_KEY.toString('base64') };
    let service: Service = await startService(dataDir, 2, more);
    let client = await makeLedger(service.url);
    const told = { acknowledged: 0, lost: 0 };
    for (let kill = 0; kill < KILLS; kill += 1) {
      const loaded = load(client, `k${kill}`);
      await loaded.until(10 + Math.floor(random() * 60));
      if (kill % 3 === 0) {
        await service.kill();
        await loaded.stop();
        service = await startService(dataDir, 2, more);
        client = new TestClient(service.url, client.key, client.ledger);
      } else {
        // One process of two: the other takes over, whichever was the home.
        for (const worker of service.workers().slice(0, 1)) process.kill(worker, 'SIGKILL');
        await loaded.stop();
      }
      told.acknowledged += loaded.sent.filter((one) => one.isAcknowledged).length;
      told.lost += await expectKept(client, loaded.sent);
    }
    await untilFinal();
    await checkBooks(database.url);
    await checkReplay(database.url);
    await auditLogs(database.url);
    expect(told.acknowledged).toBeGreaterThanOrEqual(KILLS * 10);
    if (process.env.LONG_TESTS) console.info({ kills: KILLS, ...told });
    expect(await service.stop()).toBe(0);
  });

  /** Waits until nothing is under way: what a process that died has accepted, others settle. */
  async function untilFinal(): Promise<void> {
    await eventually(async () => {
      // biome-ignore lint/suspicious/noExplicitAny: a server as far as a statement needs it
      expect(await query({ database } as any, 'select luid from open_intent')).toEqual([]);
    });
  }

  it.runIf(process.env.LONG_TESTS)('goes on when its PostgreSQL is killed', async () => {
    let service = await startService(dataDir, 2);
    let client = await makeLedger(service.url);
    for (let crash = 0; crash < CRASHES; crash += 1) {
      if (crash > 0 && crash % 5 === 0) {
        // The sixth crash within ten minutes would end it: operators are to look then.
        expect(await service.stop()).toBe(0);
        service = await startService(dataDir, 2);
        client = new TestClient(service.url, client.key, client.ledger);
      }
      const loaded = load(client, `p${crash}`);
      await loaded.until(10 + Math.floor(random() * 60));
      await killPostgres(dataDir);
      await loaded.stop();
      await eventually(async () => expect((await client.get('/wallets')).status).toBe(200));
      await expectKept(client, loaded.sent);
    }
    // What was only accepted is settled by whoever is the home next.
    await eventually(async () => {
      const { body } = ok(await client.get('/intents?page.limit=100&meta.status=pending'));
      expect(body.data.length).toBe(0);
    });
    const held = await Promise.all(
      Array.from({ length: WALLETS }, async (_, n) => (await client.get(`/wallets/w${n}/balances`)).body.data),
    );
    expect(held.flat().reduce((sum, { data }) => sum + data.amount, 0)).toBe(WALLETS * 100);
    expect(await service.stop()).toBe(0);
  });
});
