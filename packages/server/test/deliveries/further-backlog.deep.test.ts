import { expect, it } from 'vitest';
import { limits } from '../../src/limits.js';
import { eventually } from '../support/eventually.js';
import { ok } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { withReceiver } from './receiver.js';
import { addWallet, copyDelivery, loadDeliveries, MovedClock, subscribedLedger } from './scene.js';

const { rests } = limits.deliveries.further;

const clock = new MovedClock();
const running = withOwnServer({ deliveryAllowPrivate: true, runtime: clock.runtime, deliveries: { every: 100 } });
const receiver = withReceiver();

it('a receiver that takes nothing costs one attempt at a time however many wait, and has all of them once it takes one', async () => {
  receiver.instead = (_, response) => response.writeHead(500).end();
  const { url, database } = running.current;
  const client = await subscribedLedger(url, receiver.url);
  await addWallet(client, 'ann');
  const load = () => loadDeliveries(database.url, client);
  const attempts = async () => (await load()).reduce((sum, row) => sum + row.attempts, 0);
  const queue = async () =>
    (await runSql<{ step: number; due: Date }>(database.url, 'select * from delivery_queue'))[0]!;
  /** Moves the clock to when the next is taken up. */
  const takeUp = async () => {
    clock.ahead = Math.max(clock.ahead, (await queue()).due.getTime() - Date.now());
  };
  await eventually(async () => expect((await load())[0]!.attempts).toBe(1));
  const count = 4 * rests;
  await copyDelivery(running.current, client, 'hook', count);
  await eventually(async () => {
    const rows = await load();
    expect(rows.filter(({ due }) => due !== null)).toEqual([]);
    expect(rows.filter(({ status }) => status === 'running')).toEqual([]);
  });
  const rested = await attempts();
  // Those under way when it began to rest are attempted as well.
  expect(rested).toBeLessThanOrEqual(rests + limits.deliveries.width.greatest);
  for (let more = 1; more <= 3; more += 1) {
    await takeUp();
    await eventually(async () => expect((await queue()).step).toBe(more));
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
