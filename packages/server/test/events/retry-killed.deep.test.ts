import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaveNothingBehind, startService } from '../durability/service.js';
import { newLedger, signed, TestClient } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import type { RunningServer } from '../support/server.js';
import { holdDeliveries, loadRows, query, subscribe } from './support.js';

let dataDir: string;
let database: TestDatabase;

beforeAll(async () => {
  dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-retry-')));
  database = await createMigratedDatabase();
});

afterAll(async () => {
  await leaveNothingBehind(dataDir);
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Deliveries that the retry reaches: many pieces. */
const MANY = 20_000;

it('a retry that was answered is worked off to its end after kill -9', async () => {
  const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');
  const settings = { DATABASE_URL: database.url, MASTER_KEY, BACKGROUND_LEASE: '3000' };
  const first = await startService(dataDir, 1, settings);
  const server = { database } as RunningServer;
  await holdDeliveries(server);
  const client = await newLedger(first.url);
  await subscribe(client, 'hook', 'wallet-created');
  await stored(client, 'wallet', { handle: 'w' });
  await query(
    server,
    `insert into delivery (ledger_id, handle, effect, target, event, moment, status, attempts)
     select d.ledger_id, d.handle || n, d.effect, d.target, d.event, d.moment, 'cancelled', 1
     from delivery d cross join generate_series(1, $1) n`,
    [MANY],
  );
  const answer = await client.call('POST', '/effects/hook/events/retry', signed({ maxAge: 0 }, client.key, {}));
  expect(answer.status, answer.text).toBe(202);
  await first.kill();

  const second = await startService(dataDir, 1, settings);
  await eventually(async () => {
    expect(await query(server, 'select from delivery_retry')).toEqual([]);
    const rows = await loadRows(server, new TestClient(second.url, client.key, client.ledger));
    expect(rows.filter(({ status, due }) => status === 'pending' && due !== null)).toHaveLength(MANY + 1);
  });
  expect(await second.stop()).toBe(0);
  expect(second.errors()).toBe('');
}, 180_000);
