import type pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { databaseLimits } from '../../src/store/database-limits.js';
import { createPool } from '../../src/store/pool.js';
import { createLookup, type Lookup } from '../../src/store/queries/lookup.js';
import { queryLimits } from '../../src/store/queries/query-limits.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { UNCHECKED } from './unchecked.js';

let database: TestDatabase;
let pool: pg.Pool;
let lookup: Lookup;

const LEDGERS = 1_000;

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createPool({ connectionString: database.url, max: databaseLimits.connections.others }, () => {});
  await pool.query(
    `insert into ledger (handle, luid, owners) select 'l-' || n, '$lgr.' || n, '{}' from generate_series(1, ${LEDGERS}) n;
     insert into record (ledger_id, kind, handle, luid, change, hash, moment, document)
       select id, 'wallet', 'w', '$wlt.' || id, 1, '', now(), '{}' from ledger;
     insert into change (ledger_id, luid, change, kind, action, moment, hash, body)
       select id, '$wlt.' || id, 1, 'wallet', 'create', now(), '', 'of ' || id from ledger`,
  );
  lookup = createLookup(pool, UNCHECKED);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const walletOf = (ledger: number, id = 'w') => lookup({ ledger, kind: 'wallet', id, by: 'handle' });

/** Waits, while nothing can be read, until so many statements are under way; then looks for more of them. */
async function expectUnderWay(count: number, ask: () => Promise<unknown>[]): Promise<void> {
  const holder = await pool.connect();
  try {
    await holder.query('begin; lock table record in access exclusive mode');
    const asked = ask();
    // By another connection: within a transaction what is going on is looked at once.
    const waiting = async () => {
      const { rows } = await pool.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows[0]!.waiting;
    };
    await vi.waitFor(async () => expect(await waiting()).toBe(count), { timeout: 20_000, interval: 20 });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await waiting()).toBe(count);
    await holder.query('rollback');
    await Promise.all(asked);
  } finally {
    holder.release();
  }
}

it('reads the records of each ledger by a statement of its own, and never one of another', async () => {
  const found = await Promise.all(Array.from({ length: LEDGERS }, (_, index) => walletOf(index + 1)));
  expect(found.map(({ record }) => record?.body)).toEqual(found.map((_, index) => `of ${index + 1}`));
});

it(`has at most ${queryLimits.lookups.together} statements under way, and leaves connections to commits`, async () => {
  expect(queryLimits.lookups.together).toBeLessThan(databaseLimits.connections.others);
  const some = (count: number) => () => Array.from({ length: count }, (_, index) => walletOf(index + 1, 'cold'));
  await expectUnderWay(queryLimits.lookups.together, some(queryLimits.lookups.together));
  await expectUnderWay(queryLimits.lookups.together, some(queryLimits.lookups.together + 1));
});

it(`has at most ${queryLimits.lookups.each} of one ledger under way`, async () => {
  const later = async (count: number) => {
    await new Promise((resolve) => setTimeout(resolve, 50 * count));
    return walletOf(1, `cold-${count}`);
  };
  const some = (count: number) => () => Array.from({ length: count }, (_, index) => later(index));
  await expectUnderWay(queryLimits.lookups.each, some(queryLimits.lookups.each));
  await expectUnderWay(queryLimits.lookups.each, some(queryLimits.lookups.each + 1));
});
