import { afterAll, expect, it } from 'vitest';
import { query } from '../events/support.js';
import { withOwnServer } from '../support/server.js';
import { checkBooks } from './invariants.js';
import { MoneyScene, transfer } from './scene.js';

const server = withOwnServer();

/** Intents of one ledger that wait for as long as the test runs. */
const WAITING = process.env.LONG_TESTS ? 10_000 : 300;
const TOGETHER = 50;

afterAll(() => checkBooks(server.current.database.url));

/** Milliseconds that each of many transfers takes: the median, and the longest but five in a hundred. */
async function timesOf(money: MoneyScene): Promise<readonly [median: number, p95: number]> {
  const times: number[] = [];
  for (let n = 0; n < 60; n += 1) {
    const begun = performance.now();
    await money.done([transfer('alice', 'bob', 1)]);
    times.push(performance.now() - begun);
  }
  times.sort((one, other) => one - other);
  return [times[30]!, times[57]!];
}

/** Rows of intents under way that statements have read so far, in whatever way. */
async function rowsRead(): Promise<number> {
  await query(server.current, 'select pg_stat_force_next_flush()');
  const [row] = await query<{ rows: string }>(
    server.current,
    `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::text as rows from pg_stat_user_tables where relname = 'open_intent'`,
  );
  return Number(row!.rows);
}

async function makeScene(): Promise<MoneyScene> {
  const money = await MoneyScene.make(server.current.url);
  await money.issue('alice', 1_000_000);
  return money;
}

it('many intents that wait slow neither their own ledger nor another', async () => {
  const [crowded, other] = [await makeScene(), await makeScene()];
  const before = [await timesOf(crowded), await timesOf(other)];
  for (let n = 0; n < WAITING; n += TOGETHER) {
    await Promise.all(
      Array.from({ length: TOGETHER }, () =>
        crowded.intend([transfer('alice', 'bob', 1)], { config: { commit: 'manual' } }),
      ),
    );
  }
  expect(await crowded.balance('alice')).toEqual([1_000_000 - 60 - WAITING, WAITING]);
  const read = await rowsRead();
  const after = [await timesOf(crowded), await timesOf(other)];
  // Nothing is looked through that waits: else each transfer would read all of it.
  expect((await rowsRead()) - read).toBeLessThan(60 * WAITING);
  if (process.env.LONG_TESTS) console.info({ WAITING, before, after });
});
