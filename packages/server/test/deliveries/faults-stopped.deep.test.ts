import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deliveryLimits } from '../../src/deliveries/delivery-limits.js';
import type { TestClient } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { runSql } from '../support/sql.js';
import { type ServerProcess, startServerProcess } from './process.js';
import { type ReceivedEvent, withReceiver } from './receiver.js';
import { addWallet, loadDeliveries, subscribedLedger, untilDeliveries } from './scene.js';

const receiver = withReceiver();
let database: TestDatabase;
let one: ServerProcess;
let other: ServerProcess;
const made: ServerProcess[] = [];

/** Clients are told to leave soon, and leases end while a test waits. */
async function start(): Promise<ServerProcess> {
  const options = { background: { lease: 4_000, beat: 500, jitter: 5, drain: 500 }, connections: { idle: 100 } };
  const started = await startServerProcess({ database: database.url, ...options });
  made.push(started);
  return started;
}

beforeAll(async () => {
  if (process.platform === 'win32') return;
  database = await createMigratedDatabase();
  [one, other] = await Promise.all([start(), start()]);
});

afterAll(async () => {
  for (const { child } of made) child.kill('SIGKILL');
  await Promise.all(made.map(({ ended }) => ended));
  await database?.drop();
});

/** Events that the receiver is being sent, by delivery: their body holds its proof. */
const open = new Map<string, number>();
let overlaps = 0;
beforeEach(() => {
  open.clear();
  overlaps = 0;
});

/** Answers after some milliseconds, and notices bodies that are sent while they are being sent already. */
function watch({ text }: ReceivedEvent, response: ServerResponse): void {
  const count = open.get(text) ?? 0;
  if (count > 0) overlaps += 1;
  open.set(text, count + 1);
  response.on('close', () => open.set(text, open.get(text)! - 1));
  setTimeout(() => response.writeHead(202).end(), 5 + Math.random() * 20);
}

const nameOf = ({ body }: ReceivedEvent): string => body.data.wallet.data.handle;

describe.skipIf(process.platform === 'win32')('processes', () => {
  it('never attempt one delivery at once, and deliver each once while nothing fails', async () => {
    receiver.instead = watch;
    const ledgers = await Promise.all([1, 2, 3].map(() => subscribedLedger(one.url, receiver.url)));
    const atOther = (client: TestClient) => Object.assign(Object.create(client), { url: other.url }) as TestClient;
    const names = Array.from({ length: 30 }, (_, at) => `w-${at}`);
    await Promise.all(
      ledgers.map(async (ledger) => {
        for (const [at, name] of names.entries()) await addWallet(at % 2 === 0 ? ledger : atOther(ledger), name);
      }),
    );
    for (const ledger of ledgers)
      await untilDeliveries(
        database.url,
        ledger,
        names.map(() => 'delivered'),
      );
    expect(overlaps).toBe(0);
    expect(receiver.received).toHaveLength(90);
  });

  it('take over from one that stands still beyond its lease, whose outcome counts no more', async () => {
    const held: ServerResponse[] = [];
    receiver.instead = (_, response) => void held.push(response);
    const client = await subscribedLedger(one.url, receiver.url);
    await addWallet(client, 'ann');
    await eventually(() => expect(held).toHaveLength(1));
    const [lease] = await runSql<{ holder: string }>(
      database.url,
      `select d.holder from lease d join ledger l on l.id = d.ledger_id where d.worker = 'deliver' and l.handle = $1`,
      [client.ledger],
    );
    const stopped = [one, other].find(({ pid }) => lease!.holder.split('/')[1] === String(pid))!;
    stopped.child.kill('SIGSTOP');
    await eventually(() => expect(held).toHaveLength(2));
    held[1]!.writeHead(202).end();
    await untilDeliveries(database.url, client, ['delivered']);
    held[0]!.writeHead(500).end();
    stopped.child.kill('SIGCONT');
    // It goes on as any other.
    receiver.instead = undefined;
    await addWallet(client, 'bob');
    const rows = await untilDeliveries(database.url, client, ['delivered', 'delivered']);
    expect(receiver.received.map(nameOf)).toEqual(['ann', 'ann', 'bob']);
    expect(receiver.received[1]!.text).toBe(receiver.received[0]!.text);
    expect(rows.map(({ attempts, proofs }) => [attempts, proofs.length])).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });

  it('that are asked to stop finish attempts, begin none, and leave those that take long to the next', async () => {
    one.child.kill('SIGKILL');
    const { url, child, ended } = other;
    const held: ServerResponse[] = [];
    receiver.instead = (_, response) => void held.push(response);
    const client = await subscribedLedger(url, receiver.url);
    const names = Array.from({ length: 20 }, (_, at) => `w-${at}`);
    for (const name of names) await addWallet(client, name);
    const { first } = deliveryLimits.width;
    await eventually(() => expect(held).toHaveLength(first));
    child.kill('SIGTERM');
    // It listens no more as soon as it has been told.
    await eventually(() => expect(fetch(url, { headers: { connection: 'close' } })).rejects.toThrow());
    for (const response of held.slice(1)) response.writeHead(202).end();
    expect(await ended).toBe(0);
    expect(receiver.received).toHaveLength(first);
    const left = nameOf(receiver.received[0]!);
    receiver.instead = undefined;
    await start();
    await untilDeliveries(
      database.url,
      client,
      names.map(() => 'delivered'),
    );
    const again = receiver.received.map(nameOf).filter((name, at, all) => all.indexOf(name) !== at);
    expect(again).toEqual([left]);
    expect((await loadDeliveries(database.url, client)).map(({ attempts }) => attempts)).toEqual(names.map(() => 1));
  });
});
