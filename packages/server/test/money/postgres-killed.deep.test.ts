import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killPostgres, leaveNothingBehind, startService } from '../durability/service.js';
import { newLedger, signed, TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { seeded } from '../support/seed.js';
import { issue, transfer } from './scene.js';

const WORKERS = 12;
const WALLETS = 8;
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

/** Every acknowledged intent is there, and each that was not can be sent again. */
async function expectKept(client: TestClient, sent: readonly Intent[]): Promise<void> {
  const kept = sent.map(async ({ body, handle, isAcknowledged }) => {
    // A connection may have ended with the process that it led to.
    const ask = () => (isAcknowledged ? client.get(`/intents/${handle}`) : client.call('POST', '/intents', body));
    const { status, text } = await eventually(ask);
    expect(isAcknowledged ? [200] : [200, 201], text).toContain(status);
  });
  await Promise.all(kept);
}

async function makeLedger(url: string): Promise<TestClient> {
  const client = await newLedger(url);
  await stored(client, 'symbol', { handle: 'usd', factor: 1 });
  const handles = Array.from({ length: WALLETS }, (_, n) => `w${n}`);
  for (const handle of handles) await stored(client, 'wallet', { handle });
  ok(await client.create('/intents', { handle: 'first', claims: handles.map((handle) => issue(handle, 100)) }));
  return client;
}

describe.runIf(process.env.LONG_TESTS && process.platform !== 'win32')('the service', () => {
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-money-')));
  });

  afterAll(async () => {
    await leaveNothingBehind(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });

  it('goes on when its PostgreSQL is killed', async () => {
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
    // What was only accepted is settled by whoever is the leader next.
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
