import { mkdtemp, realpath, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveNothingBehind, type Service, startService } from '../durability/service.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { TEST_MASTER_KEY } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { type ReceivedEvent, TestReceiver } from './receiver.js';
import { addWallet, subscribedLedger, untilDeliveries } from './scene.js';

const receiver = new TestReceiver();
/** Wallets whose events had come before the process was killed. */
let before: string[];
let database: TestDatabase;
/** Holds locks, by that process of the database. */
let holder: pg.Client;
let holds: number;
let dataDir: string;
let service: Service;

beforeAll(async () => {
  if (process.platform === 'win32') return;
  await receiver.start();
  database = await createMigratedDatabase();
  dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-deliveries-')));
  const MASTER_KEY = TEST_MASTER_KEY.toString('base64');
  service = await startService(dataDir, 1, { DATABASE_URL: database.url, MASTER_KEY, DELIVERY_ALLOW_PRIVATE: 'true' });
  holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  holds = (await holder.query('select pg_backend_pid() as pid')).rows[0].pid;
});

afterAll(async () => {
  await holder?.end();
  await service?.stop();
  if (dataDir) await leaveNothingBehind(dataDir);
  if (dataDir) await rm(dataDir, { recursive: true, force: true });
  await database?.drop();
  await receiver.stop();
});

/** Statements of the server that wait for a lock of ours. */
const BLOCKED = 'from pg_stat_activity where $1 = any(pg_blocking_pids(pid))';

async function untilBlocked(count: number): Promise<void> {
  await eventually(async () => expect(await runSql(database.url, `select ${BLOCKED}`, [holds])).toHaveLength(count));
}

const nameOf = ({ body }: ReceivedEvent): string => body.data.wallet.data.handle;

/**
 * Ends the process that serves, and what the database still does for it; ends our transaction, and lets leases end, which
 * would take half a minute.
 */
async function kill(): Promise<void> {
  const [worker] = service.workers();
  process.kill(worker!, 'SIGKILL');
  await eventually(() => expect(service.workers()).not.toContain(worker));
  await runSql(database.url, `select pg_terminate_backend(pid) ${BLOCKED}`, [holds]);
  await holder.query('rollback');
  await holder.query('update lease set until = now()');
}

const textsOf = (handle: string) =>
  receiver.received.filter((event) => nameOf(event) === handle).map(({ text }) => text);

describe.skipIf(process.platform === 'win32')('an event whose process is killed', () => {
  beforeAll(async () => {
    const client = await subscribedLedger(service.url, receiver.url);
    const other = await subscribedLedger(service.url, receiver.url);
    const held = new Map<string, ServerResponse>();
    receiver.instead = (event, response) => void held.set(nameOf(event), response);
    await addWallet(client, 'attempted');
    await addWallet(client, 'answered');
    await eventually(() => expect(held.size).toBe(2));
    await holder.query(`begin; select from delivery where linked = 'answered' for update`);
    held.get('answered')!.writeHead(202).end();
    await untilBlocked(1);
    // Whoever looks for deliveries waits for this lock.
    await holder.query('lock table lease in exclusive mode');
    await addWallet(other, 'committed');
    await untilBlocked(2);
    before = receiver.received.map(nameOf);
    receiver.instead = undefined;
    await kill();
    for (const [ledger, count] of [
      [client, 2],
      [other, 1],
    ] as const) {
      const rows = await untilDeliveries(database.url, ledger, Array(count).fill('delivered'));
      // Of an attempt that was not stored, nobody knows.
      expect(rows.map(({ attempts, proofs }) => [attempts, proofs.length])).toEqual(Array(count).fill([1, 1]));
    }
  });

  it('between the commit and the delivery is delivered', () => {
    expect(before).not.toContain('committed');
    expect(textsOf('committed')).toHaveLength(1);
  });

  it.each(['attempted', 'answered'])('while it is %s is delivered, the same again', (handle) => {
    expect(before).toContain(handle);
    const [first, second, ...others] = textsOf(handle);
    expect(second).toBe(first);
    expect(others).toEqual([]);
  });
});
