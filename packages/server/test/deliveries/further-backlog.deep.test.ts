import { expect, it } from 'vitest';
import { deliveryLimits } from '../../src/deliveries/delivery-limits.js';
import { furtherLimits } from '../../src/store/outbox/outbox-limits.js';
import type { TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { withReceiver } from './receiver.js';
import { addWallet, copyDelivery, loadDeliveries, MovedClock, subscribedLedger } from './scene.js';

const { rests } = furtherLimits;

const clock = new MovedClock();
const running = withOwnServer({ deliveryAllowPrivate: true, runtime: clock.runtime, deliveries: { every: 100 } });
const receiver = withReceiver();

/** How the backlog of a ledger's only receiver stands. */
async function backlogOf({ ledger }: TestClient) {
  const [row] = await runSql<{ step: number; due: Date }>(
    running.current.database.url,
    'select q.* from delivery_backlog q join ledger l on l.id = q.ledger_id where l.handle = $1',
    [ledger],
  );
  return row!;
}

/** Deliveries that are set aside for a receiver that fails, until it rests. */
async function aBacklog(count: number): Promise<TestClient> {
  receiver.instead = (_, response) => response.writeHead(500).end();
  const { url, database } = running.current;
  const client = await subscribedLedger(url, receiver.url);
  await addWallet(client, 'ann');
  await eventually(async () => expect((await loadDeliveries(database.url, client))[0]!.attempts).toBe(1));
  await copyDelivery(running.current, client, 'hook', count - 1);
  await eventually(async () => {
    const rows = await loadDeliveries(database.url, client);
    expect(rows.filter(({ due }) => due !== null)).toEqual([]);
    expect(rows.filter(({ status }) => status === 'running')).toEqual([]);
  });
  return client;
}

it('a receiver that takes nothing costs one attempt at a time however many wait, and has all of them once it takes one', async () => {
  const { database } = running.current;
  const count = 4 * rests;
  const client = await aBacklog(count + 1);
  const load = () => loadDeliveries(database.url, client);
  const attempts = async () => (await load()).reduce((sum, row) => sum + row.attempts, 0);
  const backlog = () => backlogOf(client);
  /** Moves the clock to when the next is taken up. */
  const takeUp = async () => {
    clock.ahead = Math.max(clock.ahead, (await backlog()).due.getTime() - Date.now());
  };
  const rested = await attempts();
  // Those under way when it began to rest are attempted as well.
  expect(rested).toBeLessThanOrEqual(rests + deliveryLimits.width.greatest);
  for (let more = 1; more <= 3; more += 1) {
    await takeUp();
    await eventually(async () => expect((await backlog()).step).toBe(more));
    expect(await attempts()).toBe(rested + more);
  }
  // What is new waits with the others, and is said to.
  await addWallet(client, 'last');
  await eventually(async () => expect((await load()).at(-1)!.due).toBeNull());
  const { data } = ok(await client.get('/effects/hook/events?data.linked=last')).body;
  expect(data).toMatchObject([{ meta: { status: 'pending', replay: 0 } }]);
  expect(await attempts()).toBe(rested + 3);
  receiver.instead = undefined;
  // Each piece is taken up when the one before has ended: the clock moves on for the first alone.
  await takeUp();
  const ahead = clock.ahead;
  await eventually(async () => {
    const rows = await load();
    expect(rows).toHaveLength(count + 2);
    expect(rows.every(({ status }) => status === 'delivered')).toBe(true);
  });
  expect(clock.ahead).toBe(ahead);
  // Of each wallet it was told once.
  expect(receiver.received.filter(({ body }) => body.data.wallet.data.handle === 'last')).toHaveLength(1);
});

it('deliveries whose time is over have no others attempted: they say nothing of the receiver', async () => {
  const client = await aBacklog(2 * rests);
  const { database } = running.current;
  const load = () => loadDeliveries(database.url, client);
  const attempts = async () => (await load()).reduce((sum, row) => sum + row.attempts, 0);
  const before = await attempts();
  const step = 12;
  const old = (await load()).slice(0, 50).map(({ handle }) => handle);
  const since = new Date(Date.now() + clock.ahead - deliveryLimits.retryFor);
  await runSql(database.url, 'update delivery set aside = $1 where handle = any ($2)', [since, old]);
  await runSql(database.url, 'update delivery_backlog set step = $1, due = $2 where due is not null', [step, since]);
  await eventually(async () => {
    expect((await load()).filter(({ status }) => status === 'cancelled')).toHaveLength(old.length);
    expect((await load()).filter(({ due }) => due !== null)).toEqual([]);
  });
  // One of the others is taken up beside them, as each time.
  await eventually(async () => expect((await backlogOf(client)).step).toBe(step + 1));
  expect((await backlogOf(client)).due.getTime()).toBeGreaterThan(Date.now() + clock.ahead + 60_000);
  expect(await attempts()).toBe(before + 1);
});
