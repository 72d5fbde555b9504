import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { BackgroundWorker } from '../../src/background/worker.js';
import { parseConfig } from '../../src/config.js';
import { deliverEvents } from '../../src/deliveries/deliver.js';
import { type DeliveryBounds, deliveryLimits } from '../../src/deliveries/delivery-limits.js';
import { ATTEMPTS } from '../../src/deliveries/retry-delays.js';
import { createDeliveryStore, type DeliveryStore } from '../../src/store/outbox/deliveries.js';
import { furtherLimits, retryLimits } from '../../src/store/outbox/outbox-limits.js';
import { createPool } from '../../src/store/pool.js';
import { eventually } from '../support/eventually.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { HeldCalls } from './held-calls.js';
import { addWallet, addWebhook, loadDeliveries, subscribedLedger } from './scene.js';

/** Delivers nothing by itself. */
const running = withOwnServer({ deliveries: { concurrency: 0 } });

const HOSTS = ['https://one.example', 'https://other.example'] as const;

const query = <T>(text: string, values: unknown[]) => runSql<T>(running.current.database.url, text, values);

/** How often a worker has looked for what is due. */
let starts = 0;

function makeWorker(bounds: Partial<DeliveryBounds>, setAside: (store: DeliveryStore) => DeliveryStore['setAside']) {
  const { server, database } = running.current;
  const pool = createPool({ connectionString: database.url, max: 2 }, () => {});
  const store = createDeliveryStore(pool);
  const start: DeliveryStore['start'] = (...asked) => {
    starts += 1;
    return store.start(...asked);
  };
  const worker: BackgroundWorker = deliverEvents(server.service, {
    store: { ...store, start, setAside: setAside(store) },
    outbound: new HeldCalls(),
    metrics: server.metrics.deliveries,
    logger: pino({ level: 'silent' }),
    bounds: { ...deliveryLimits, linger: 20, ...bounds },
  });
  return { worker, end: () => pool.end() };
}

/** A ledger with two queues whose effects rest, and their units of work. */
async function resting() {
  const client = await subscribedLedger(running.current.url, HOSTS[0]);
  await addWebhook(client, 'other', HOSTS[1]);
  await addWallet(client, 'ann');
  const [row] = await query<{ id: string }>('select id from ledger where handle = $1', [client.ledger]);
  const ledger = Number(row!.id);
  await query(
    `insert into delivery_backlog (ledger_id, receiver, failures, step, allowed)
     select ledger_id, effect, $2, 0, 0 from delivery where ledger_id = $1`,
    [ledger, furtherLimits.rests],
  );
  return { client, units: HOSTS.map((unit) => ({ ledger, unit, failures: 0 })) };
}

const never = () => new AbortController().signal;

it('one queue of a ledger at a time sets events of effects that rest aside, without an attempt', async () => {
  const { client, units } = await resting();
  const held: (() => void)[] = [];
  const { worker, end } = makeWorker({}, (store) => async (...asked) => {
    await new Promise<void>((resolve) => held.push(resolve));
    return store.setAside(...asked);
  });
  starts = 0;
  const runs = units.map((unit) => worker.run(unit, never()));
  await eventually(() => expect(starts).toBeGreaterThan(3));
  expect(held).toHaveLength(1);
  held[0]!();
  await eventually(() => expect(held).toHaveLength(2));
  held[1]!();
  await Promise.all(runs);
  const rows = await loadDeliveries(running.current.database.url, client);
  expect(rows.map(({ attempts, aside }) => [attempts, aside !== null])).toEqual(Array(2).fill([0, true]));
  await end();
});

it('they are set aside for as long as the run of their queue lasts', async () => {
  const { units } = await resting();
  let pieces = 0;
  // As if there were no end of them.
  const { worker, end } = makeWorker({ run: 50 }, () => async () => {
    pieces += 1;
  });
  await worker.run(units[0]!, never());
  expect(pieces).toBeGreaterThan(0);
  await end();
});

it('the attempts that fit into the longest time that may be set are fewer than may be made', () => {
  const hours = parseConfig({ DELIVERY_RETRY_HOURS: '720' }).deliveryRetryHours;
  let made: number = ATTEMPTS.unreachable;
  // The shortest delays: three quarters.
  for (let [passed, step] = [0, 0]; passed < hours * 3_600_000; step += 1) {
    passed += 0.75 * Math.min(furtherLimits.greatest, furtherLimits.first * 2 ** step);
    made += 1;
  }
  expect(made).toBeGreaterThan(hours);
  expect(made).toBeLessThan(retryLimits.attempts);
});
