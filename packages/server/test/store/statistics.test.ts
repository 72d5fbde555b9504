import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCommitter } from '../../src/store/committer/commit.js';
import { migrate } from '../../src/store/migrate.js';
import { createPool } from '../../src/store/pool.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { writeOf } from './write.js';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createDatabase();
  // One connection: whatever was planned on it stays planned.
  pool = createPool({ connectionString: database.url, max: 1 }, () => {});
  await migrate(pool);
  for (const table of ['record', 'change']) await pool.query(`alter table ${table} set (autovacuum_enabled = false)`);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

it('a table that was empty when its statements were planned is analyzed after its first writes', async () => {
  await pool.query(`insert into ledger (handle, luid, owners) values ('l', '$ldg.l', '{}')`);
  const commit = createCommitter(pool);
  const analyzed = async () => {
    const { rows } = await pool.query(
      `select last_analyze is not null as is from pg_stat_user_tables where relid = 'record'::regclass`,
    );
    return rows[0].is as boolean;
  };
  for (let number = 0; number < 199; number += 1) {
    const more = number % 2 ? { action: 'update' as const, change: 2 } : {};
    expect((await commit(writeOf(number - (number % 2), more))).result).toBe('done');
  }
  expect(await analyzed()).toBe(false);
  await commit(writeOf(1_000));
  await expect.poll(analyzed, { timeout: 5_000 }).toBe(true);
  const { rows } = await pool.query(`select reltuples from pg_class where oid = 'record'::regclass`);
  expect(rows[0].reltuples).toBe(101);
});
