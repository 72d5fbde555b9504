import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DUE_QUEUES } from '../../src/store/outbox/deliveries.js';
import { outboxLimits } from '../../src/store/outbox/outbox-limits.js';
import { createPool } from '../../src/store/pool.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';

const { listed, queues } = outboxLimits;

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createPool({ connectionString: database.url, max: 1 }, () => {});
});
afterEach(() => pool.query('truncate delivery'));
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Queues a delivery for each of so many targets of each ledger from the first to the last. */
async function queue(ledgers: readonly [first: number, last: number], targets: number, due = '-1 s'): Promise<void> {
  await pool.query(
    `insert into delivery (ledger_id, handle, target, event, moment, due)
     select l, gen_random_uuid(), 'https://host-' || t || '.example', '', now(), now() + $4::interval
     from generate_series($1::int, $2::int) l, generate_series(1, $3::int) t`,
    [...ledgers, targets, due],
  );
}

async function list(): Promise<{ ledger: number; target: string; due: Date }[]> {
  const text = `with clock as (select now() as now)
    select d.ledger_id as ledger, d.unit as target, d.since as due from (${DUE_QUEUES}) d (ledger_id, unit, since)`;
  return (await pool.query(text)).rows;
}

const ledgersOf = (found: { ledger: number }[]) =>
  [...new Set(found.map(({ ledger }) => ledger))].sort((a, b) => a - b);

describe('the list of due queues', () => {
  it('names each queue once, since its first due delivery', async () => {
    await queue([1, 3], 2);
    await queue([1, 3], 2, '-1 h');
    await queue([2, 2], 3, '1 h');
    const found = await list();
    expect(found).toHaveLength(6);
    expect(new Set(found.map(({ ledger, target }) => `${ledger} ${target}`)).size).toBe(6);
    const hour = Date.now() - 3_000_000;
    expect(found.every(({ due }) => due.getTime() < hour)).toBe(true);
  });

  it('leaves out what is not due, and what is over', async () => {
    await queue([1, 2], 2, '1 h');
    await queue([3, 3], 1);
    await pool.query('update delivery set due = null where ledger_id = 3');
    expect(await list()).toEqual([]);
  });

  it('is empty where nothing is queued', async () => {
    expect(await list()).toEqual([]);
  });

  it.each([
    [queues, queues],
    [queues + 1, queues],
  ])('of one ledger with %i has %i', async (there, expected) => {
    await queue([7, 7], there);
    expect(await list()).toHaveLength(expected);
  });

  it.each([listed, listed + 1])('of %i ledgers has no more than there may be, one of each', async (count) => {
    await queue([1, count], 2);
    const found = await list();
    expect(found).toHaveLength(listed);
    expect(ledgersOf(found)).toHaveLength(listed);
  });

  it('has queues of every ledger, however many the others have', async () => {
    await queue([1, 40], 100);
    await queue([41, 41], 1);
    const found = await list();
    expect(found.length).toBeLessThanOrEqual(listed);
    expect(ledgersOf(found)).toHaveLength(41);
  });

  it('of more ledgers than it may have begins anywhere, so that each comes up', async () => {
    const many = listed + listed / 2;
    await queue([1, many], 1);
    const seen = new Set<number>();
    for (let looks = 0; seen.size < many && looks < 200; looks += 1) {
      for (const { ledger } of await list()) seen.add(ledger);
    }
    expect(seen.size).toBe(many);
  });
});
