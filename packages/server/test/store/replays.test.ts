import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPool } from '../../src/store/pool.js';
import { createReplays, deleteExpiredTokens } from '../../src/store/queries/replays.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let pool: pg.Pool;
let now = 1_000_000;
const runtime = { now: () => now, random: (bytes: number) => new Uint8Array(bytes) };

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createPool({ connectionString: database.url }, () => {});
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

it('lets exactly one of many uses at once be the first, in two processes', async () => {
  const processes = [createReplays(pool, runtime), createReplays(pool, runtime)];
  const uses = Array.from({ length: 60 }, (_, index) => processes[index % 2]?.use('l', 'once', now + 60_000));
  expect((await Promise.all(uses)).filter(Boolean)).toHaveLength(1);
});

it('keeps ledgers and tokens apart', async () => {
  const replays = createReplays(pool, runtime);
  expect(await replays.use('a', 'jti', now + 60_000)).toBe(true);
  expect(await replays.use('b', 'jti', now + 60_000)).toBe(true);
  expect(await replays.use('a', 'other', now + 60_000)).toBe(true);
  expect(await replays.use('a', 'jti', now + 60_000)).toBe(false);
});

it('forgets what has expired, and what that is can be deleted', async () => {
  const replays = createReplays(pool, runtime);
  expect(await replays.use('late', 'jti', now + 1_000)).toBe(true);
  now += 999;
  expect(await replays.use('late', 'jti', now + 1_000)).toBe(false);
  now += 1;
  expect(await replays.use('late', 'jti', now + 1_000)).toBe(true);
  await replays.use('late', 'longer', now + 1_001);
  now += 1_000;
  await pool.query(deleteExpiredTokens(now));
  const { rows } = await pool.query('select use from used_token where ledger = $1', ['late']);
  expect(rows).toEqual([{ use: 'longer' }]);
});

it('takes no used token again after a sweep by a clock that was ahead, and those that expire later once', async () => {
  const replays = createReplays(pool, runtime);
  const [minute, hour] = [60_000, 3_600_000];
  now += hour;
  const expiresAt = now + 5 * minute;
  expect(await replays.use('back', 'jti', expiresAt)).toBe(true);
  now += 2 * hour;
  for (let round = 0; round < 2; round += 1) await pool.query(deleteExpiredTokens(now));
  expect((await pool.query('select from used_token where ledger = $1', ['back'])).rowCount).toBe(0);
  now -= 2 * hour;
  const restarted = createReplays(pool, runtime);
  for (const one of [replays, restarted]) expect(await one.use('back', 'jti', expiresAt)).toBe(false);
  expect(await restarted.use('back', 'later', expiresAt + 1)).toBe(true);
  expect(await replays.use('back', 'later', expiresAt + 1)).toBe(false);
});
