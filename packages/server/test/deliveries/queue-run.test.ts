import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import type { BackgroundWorker } from '../../src/background/worker.js';
import { Overloaded } from '../../src/base/gather.js';
import { deliverEvents } from '../../src/deliveries/deliver.js';
import { type DeliveryBounds, deliveryLimits } from '../../src/deliveries/delivery-limits.js';
import { HandshakesResting } from '../../src/outbound/handshakes.js';
import { createDeliveryStore, type DeliveryStore } from '../../src/store/outbox/deliveries.js';
import { createPool } from '../../src/store/pool.js';
import type { TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { HeldCalls } from './held-calls.js';
import {
  addWallet,
  addWebhook,
  copyDelivery,
  customsOf,
  loadDeliveries,
  MovedClock,
  subscribedLedger,
} from './scene.js';

const clock = new MovedClock();
/** Delivers nothing by itself. */
const running = withOwnServer({ runtime: clock.runtime, deliveries: { concurrency: 0 } });

const HOST = 'https://receiver.example';

const calls = new HeldCalls();
beforeEach(() => {
  calls.forget();
  [read, starts, looks] = [0, 0, 0];
});

const load = (client: TestClient) => loadDeliveries(running.current.database.url, client);
const isUnderWay = (count: number) => eventually(() => expect(calls.held).toHaveLength(count));

/** Waits until all has been done that a test could wait for: no further call begins. */
async function staysUnderWay(count: number): Promise<void> {
  await isUnderWay(count);
  for (let turns = 0; turns < 3; turns += 1) await runSql(running.current.database.url, 'select pg_sleep(0.02)');
  expect(calls.held).toHaveLength(count);
}

/** Characters of versions that the database was asked for; and how often for what is due, of one queue and of several. */
let [read, starts, looks] = [0, 0, 0];

function makeWorker(bounds: Partial<DeliveryBounds>): BackgroundWorker & { end(): Promise<void> } {
  const { server, database } = running.current;
  const pool = createPool({ connectionString: database.url, max: 2 }, () => {});
  const store = createDeliveryStore(pool);
  const versions: DeliveryStore['versions'] = async (...asked) => {
    const found = await store.versions(...asked);
    read += found.reduce((sum, { body }) => sum + body.length, 0);
    return found;
  };
  const start: DeliveryStore['start'] = (...asked) => {
    starts += 1;
    return store.start(...asked);
  };
  const haveDue: DeliveryStore['haveDue'] = (...asked) => {
    looks += 1;
    return store.haveDue(...asked);
  };
  const worker = deliverEvents(server.service, {
    store: { ...store, versions, start, haveDue },
    outbound: calls,
    metrics: server.metrics.deliveries,
    logger: pino({ level: 'silent' }),
    bounds: { ...deliveryLimits, linger: 20, width: { first: 4, greatest: 32 }, ...bounds },
  });
  return { ...worker, end: () => pool.end() };
}

async function idOf({ ledger }: TestClient): Promise<number> {
  const [row] = await runSql<{ id: string }>(running.current.database.url, 'select id from ledger where handle = $1', [
    ledger,
  ]);
  return Number(row!.id);
}

/** A ledger with that many deliveries to the host, and its unit of work. */
async function queued(count: number): Promise<{ client: TestClient; unit: Parameters<BackgroundWorker['run']>[0] }> {
  const client = await subscribedLedger(running.current.url, HOST);
  await addWallet(client, 'w-0');
  if (count > 1) await copyDelivery(running.current, client, 'hook', count - 1);
  return { client, unit: { ledger: await idOf(client), unit: HOST, failures: 0 } };
}

const never = () => new AbortController().signal;

/** Answers whatever comes, until a run ends. */
async function answerAll(run: Promise<void>, status = 202): Promise<void> {
  let isOver = false;
  const over = run.finally(() => {
    isOver = true;
  });
  await eventually(() => {
    for (const one of calls.held) one.answer(status);
    expect(isOver).toBe(true);
  });
  await over;
}

describe('the width of a queue', () => {
  it('grows by one with each success up to its bound, and is halved by each failure', async () => {
    const { unit } = await queued(30);
    const worker = makeWorker({ width: { first: 2, greatest: 5 } });
    const run = worker.run(unit, never());
    await staysUnderWay(2);
    for (const width of [3, 4, 5, 5]) {
      calls.held[0]!.answer(202);
      await staysUnderWay(width);
    }
    // Halved to two: of the four that go on, none is replaced before there are fewer. A success makes it three.
    calls.held[0]!.answer(500);
    await staysUnderWay(4);
    calls.held[0]!.answer(202);
    await staysUnderWay(3);
    for (const left of [2, 1, 1]) {
      calls.held[0]!.answer(500);
      await staysUnderWay(left);
    }
    calls.held[0]!.answer(202);
    await staysUnderWay(2);
    await answerAll(run);
    expect(calls.most).toBe(5);
    await worker.end();
  });

  it('is left alone by deliveries whose effect was dropped', async () => {
    const { client, unit } = await queued(20);
    await addWebhook(client, 'other', `${HOST}/other`);
    ok(await client.drop('/effects/hook', (await client.get('/effects/hook')).body));
    await addWallet(client, 'last');
    await copyDelivery(running.current, client, 'other', 7);
    const worker = makeWorker({ width: { first: 4, greatest: 8 } });
    const run = worker.run(unit, never());
    await staysUnderWay(4);
    await answerAll(run);
    const states = (await load(client)).map(({ effect, status }) => `${effect} ${status}`);
    expect(states.filter((state) => state === 'hook cancelled')).toHaveLength(20);
    expect(states.filter((state) => state === 'other delivered')).toHaveLength(8);
    await worker.end();
  });
});

describe('an attempt', () => {
  it('that fails by a defect of ours counts as failed, and delays no other one', async () => {
    const { client, unit } = await queued(6);
    const worker = makeWorker({ width: { first: 2, greatest: 2 } });
    const run = worker.run(unit, never());
    await isUnderWay(2);
    calls.held[0]!.fail(new TypeError('of undefined'));
    await answerAll(run);
    const rows = await load(client);
    const failure = { status: 'failed', reason: 'delivery.unexpected-error' };
    const isFailed = (row: (typeof rows)[number]) => customsOf(row).some(({ status }) => status === 'failed');
    const failed = rows.filter(isFailed);
    expect(failed).toHaveLength(1);
    // Where all of it takes longer than the delay of an attempt that failed, that delivery is attempted again.
    expect(customsOf(failed[0]!)[0]).toEqual(failure);
    const others = rows.filter((row) => !isFailed(row));
    expect(others.map(({ attempts, status }) => [attempts, status])).toEqual(Array(5).fill([1, 'delivered']));
    await worker.end();
  });

  it('that the process has no room for is none, and is made by the next run', async () => {
    const { client, unit } = await queued(2);
    const worker = makeWorker({});
    const run = worker.run(unit, never());
    await isUnderWay(2);
    calls.held[0]!.fail(new Overloaded());
    await answerAll(run);
    expect((await load(client)).map(({ attempts }) => attempts).sort()).toEqual([0, 1]);
    await answerAll(worker.run(unit, never()));
    expect((await load(client)).map(({ attempts, status }) => [attempts, status])).toEqual([
      [1, 'delivered'],
      [1, 'delivered'],
    ]);
    await worker.end();
  });

  it('that is given up is none, and the next one sends the same', async () => {
    const { client, unit } = await queued(1);
    const worker = makeWorker({});
    const lost = new AbortController();
    const run = worker.run(unit, lost.signal);
    await isUnderWay(1);
    const { body } = calls.held[0]!.call;
    lost.abort(new Error('the lease is lost'));
    await run;
    expect(calls.held).toEqual([]);
    expect((await load(client)).map(({ attempts, proofs, status }) => [attempts, proofs.length, status])).toEqual([
      [0, 0, 'running'],
    ]);
    clock.ahead += 60_000;
    const again = worker.run(unit, never());
    await isUnderWay(1);
    expect(calls.held[0]!.call.body).toBe(body);
    await answerAll(again);
    await worker.end();
  });

  it('is made again when it is due, though another one of its queue hangs', async () => {
    const { client, unit } = await queued(2);
    const worker = makeWorker({ every: 50 });
    const run = worker.run(unit, never());
    await isUnderWay(2);
    calls.held[1]!.answer(500);
    await eventually(async () => {
      expect((await load(client)).map(({ status }) => status).sort()).toEqual(['failed', 'running']);
    });
    clock.ahead += 1_000;
    await isUnderWay(2);
    await answerAll(run);
    await worker.end();
  });
});

describe('long events', () => {
  const LONG = { text: 'a'.repeat(150_000) };
  /** Each takes all the room there is. */
  const ONE = { process: 1, ledger: 1, waiting: 100 };

  /** A ledger with that many deliveries of long events. */
  async function queuedLong(count: number): ReturnType<typeof queued> {
    const client = await subscribedLedger(running.current.url, HOST);
    await Promise.all(Array.from({ length: count }, (_, at) => addWallet(client, `w-${at}`, LONG)));
    return { client, unit: { ledger: await idOf(client), unit: HOST, failures: 0 } };
  }

  it('count for what they hold, so that many are under way', async () => {
    const { unit } = await queuedLong(16);
    const worker = makeWorker({ width: { first: 16, greatest: 16 } });
    const run = worker.run(unit, never());
    await staysUnderWay(16);
    await answerAll(run);
    await worker.end();
  });

  it('are read when there is room for them, and not before', async () => {
    const { unit } = await queuedLong(10);
    const long = { ...ONE, patience: 60_000 };
    const worker = makeWorker({ width: { first: 10, greatest: 10 }, long });
    const run = worker.run(unit, never());
    await staysUnderWay(1);
    expect(read).toBeLessThan(2 * LONG.text.length);
    await answerAll(run);
    expect(read).toBeGreaterThan(10 * LONG.text.length);
    await worker.end();
  });

  it('that wait in vain for room are attempted later, and have not failed', async () => {
    const { client, unit } = await queuedLong(10);
    const long = { ...ONE, patience: 100 };
    const worker = makeWorker({ width: { first: 10, greatest: 10 }, long });
    const run = worker.run(unit, never());
    await eventually(() => expect(calls.held.length).toBeGreaterThan(0));
    await answerAll(run);
    const rows = await load(client);
    expect(rows.filter(({ attempts }) => attempts === 0)).not.toEqual([]);
    expect(rows.flatMap(customsOf).filter(({ status }) => status === 'failed')).toEqual([]);
    await worker.end();
  });
});

describe('a queue whose receiver hangs', () => {
  it('is not looked at for each write of others', async () => {
    const { unit } = await queued(1);
    const worker = makeWorker({ linger: 60_000, every: 60_000, hangs: 0 });
    const run = worker.run(unit, never());
    await staysUnderWay(1);
    const before = starts + looks;
    for (let writes = 0; writes < 10; writes += 1) {
      worker.hinted!();
      await runSql(running.current.database.url, 'select pg_sleep(0.01)');
    }
    expect(starts + looks - before).toBeLessThanOrEqual(1);
    worker.stopping!();
    await answerAll(run);
    await worker.end();
  });

  it('begins what comes while its attempts go on, though a hint before it was for nothing', async () => {
    const { client, unit } = await queued(1);
    const worker = makeWorker({ linger: 60_000, every: 60_000, hangs: 60_000 });
    const run = worker.run(unit, never());
    await isUnderWay(1);
    // Each change is told of twice: by this process, and by the database to all of them.
    const before = looks + starts;
    worker.hinted!();
    await eventually(() => expect(looks + starts).toBeGreaterThan(before));
    await staysUnderWay(1);
    await addWallet(client, 'more');
    worker.hinted!();
    await isUnderWay(2);
    worker.stopping!();
    await answerAll(run);
    await worker.end();
  });

  it('asks together with others whether there is more, and begins what there is', async () => {
    const { client, unit } = await queued(1);
    const worker = makeWorker({ every: 10 });
    const run = worker.run(unit, never());
    await staysUnderWay(1);
    const before = starts;
    await staysUnderWay(1);
    expect(starts).toBe(before);
    await addWallet(client, 'more');
    await isUnderWay(2);
    await answerAll(run);
    await worker.end();
  });
});

it('a delivery that no call is made for now, since handshakes of its ledger took too long, is put off, not attempted', async () => {
  const { client, unit } = await queued(1);
  const worker = makeWorker({});
  const run = worker.run(unit, never());
  await isUnderWay(1);
  const before = Date.now() + clock.ahead;
  calls.held[0]!.fail(new HandshakesResting(HOST, 60_000));
  await run;
  const [row] = await load(client);
  expect(row).toMatchObject({ status: 'pending', attempts: 0, proofs: [] });
  expect(row!.due!.getTime()).toBeGreaterThanOrEqual(before + 60_000);
  await worker.end();
});

describe('a run', () => {
  it('begins what comes while it lasts, and ends when nothing more does', async () => {
    const { client, unit } = await queued(1);
    const worker = makeWorker({ linger: 60_000 });
    const run = worker.run(unit, never());
    await isUnderWay(1);
    calls.held[0]!.answer(202);
    await isUnderWay(0);
    await addWallet(client, 'more');
    worker.hinted!();
    await isUnderWay(1);
    calls.held[0]!.answer(202);
    worker.stopping!();
    await run;
    expect((await load(client)).map(({ status }) => status)).toEqual(['delivered', 'delivered']);
    await worker.end();
  });

  it('leaves what is due to the next one when its time is over', async () => {
    const { client, unit } = await queued(2);
    const worker = makeWorker({ run: 1, width: { first: 1, greatest: 1 } });
    const run = worker.run(unit, never());
    await isUnderWay(1);
    calls.held[0]!.answer(202);
    await run;
    expect((await load(client)).map(({ attempts }) => attempts).sort()).toEqual([0, 1]);
    await worker.end();
  });

  it('begins nothing once the process is to stop', async () => {
    const { client, unit } = await queued(3);
    const worker = makeWorker({ width: { first: 1, greatest: 1 } });
    const run = worker.run(unit, never());
    await isUnderWay(1);
    worker.stopping!();
    calls.held[0]!.answer(202);
    await run;
    await worker.run(unit, never());
    expect((await load(client)).map(({ attempts }) => attempts).sort()).toEqual([0, 0, 1]);
    await worker.end();
  });

  it('has the attempts that its ledger and its process have room for', async () => {
    const [one, second, third] = [await queued(4), await queued(4), await queued(4)];
    const worker = makeWorker({ slots: { process: 3, ledger: 2 } });
    const runs = [worker.run(one.unit, never())];
    await staysUnderWay(2);
    runs.push(worker.run(second.unit, never()));
    await staysUnderWay(3);
    runs.push(worker.run(third.unit, never()));
    await staysUnderWay(3);
    // Whoever has none gets the next.
    calls.held[0]!.answer(202);
    await staysUnderWay(3);
    await answerAll(Promise.all(runs).then(() => {}));
    expect(calls.most).toBe(3);
    for (const { client } of [one, second, third]) {
      expect((await load(client)).map(({ status }) => status)).toEqual(Array(4).fill('delivered'));
    }
    await worker.end();
  });
});
