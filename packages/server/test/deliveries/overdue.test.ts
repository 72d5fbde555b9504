import { expect, it } from 'vitest';
import { newLedger, OPEN } from '../support/client.js';
import { stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { addWebhook } from './scene.js';

const running = withOwnServer();

const ENDPOINT = 'https://receiver.example';

async function readGauge(gauge: string): Promise<number> {
  const { registry } = running.current.server.metrics;
  const { values } = await registry.getSingleMetric(`countersign_deliveries_${gauge}`)!.get();
  return values[0]!.value;
}

/** Seconds that the longest overdue delivery has been due. */
const overdue = () => readGauge('oldest_waiting_seconds');
const waiting = () => readGauge('waiting');

it('the gauge of waiting deliveries tells for how long the longest overdue one has been due', async () => {
  const { url } = running.current.database;
  expect(await overdue()).toBe(0);
  const client = await newLedger(running.current.url, { access: OPEN });
  await addWebhook(client, 'hook', ENDPOINT);
  // Another process has the queue.
  await runSql(
    url,
    `insert into lease (ledger_id, worker, unit, holder, until, failures)
     select id, 'deliver', $2, 'test', now() + interval '1 day', 0 from ledger where handle = $1`,
    [client.ledger, ENDPOINT],
  );
  for (const handle of ['a', 'b']) await stored(client, 'wallet', { handle });
  const setDue = (due: string) =>
    runSql(url, `update delivery set moment = now() - interval '1 week', due = now() + $1::interval`, [due]);
  await setDue('1 hour');
  expect(await overdue()).toBe(0);
  await setDue('-1 hour');
  await runSql(url, `update delivery set due = now() - interval '2 hours' where linked = 'b'`);
  const seconds = await overdue();
  expect(seconds).toBeGreaterThanOrEqual(7_200);
  expect(seconds).toBeLessThan(604_800);
  // Those that wait for an operator are not late, and hide nothing.
  const suspend = (level: string | null) =>
    runSql(
      url,
      `update ledger set suspended = $2, suspended_why = case when $2::text is not null then 'x' end,
        suspended_since = $3 where handle = $1`,
      [client.ledger, level, level && new Date()],
    );
  await suspend('all');
  expect([await overdue(), await waiting()]).toEqual([0, 0]);
  await runSql(url, `update delivery set purpose = 'prepare', target = 'bridge:b' where linked = 'a'`);
  expect(await overdue()).toBeGreaterThanOrEqual(3_600);
  expect(await waiting()).toBe(1);
  await suspend('writes');
  expect(await overdue()).toBeGreaterThanOrEqual(7_200);
  expect(await waiting()).toBe(2);
});
