import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPool } from '../../src/store/pool.js';
import { type ClaimQuery, createLeases, type Leases } from '../../src/store/queries/leases.js';
import { queryLimits } from '../../src/store/queries/query-limits.js';
import { insertJobs, withWork } from './work.js';

const work = withWork();

const SECOND = 1_000;

const CLAIM: ClaimQuery = {
  worker: 'job',
  due: 'select ledger_id, id, due from job',
  lease: 60 * SECOND,
  count: 100,
  each: 100,
  running: [],
};

/** As many as there are processes in a small deployment. */
const PROCESSES = 4;

let processes: { leases: Leases; end(): Promise<void> }[];

beforeAll(() => {
  processes = Array.from({ length: PROCESSES }, (_, index) => {
    const pool = createPool({ connectionString: work.current.url, max: 1 }, () => {});
    return { leases: createLeases(pool, `process ${index}`, Date.now), end: () => pool.end() };
  });
});

afterAll(async () => {
  await Promise.all(processes.map(({ end }) => end()));
});

const one = () => processes[0]!.leases;
const other = () => processes[1]!.leases;
const KEY = { worker: 'job', ledger: 1, unit: 'a' };

const rows = async () => (await work.current.pool.query('select unit, holder, failures from lease order by unit')).rows;

it.each([
  ['that was never claimed', 'truncate lease'],
  ['whose lease has ended', `update lease set until = '-infinity'`],
])('of many claims at once of a unit %s one has it', async (_, reset) => {
  const ids = Array.from({ length: 30 }, (_id, index) => String(index));
  await insertJobs(work.current, 1, ids);
  await one().claim(CLAIM);
  for (let round = 0; round < 40; round += 1) {
    await work.current.pool.query(reset);
    const found = await Promise.all(
      processes.map(({ leases }) => leases.claim({ ...CLAIM, count: 20 + (round % 11) })),
    );
    const claimed = found.flatMap((each) => each.claimed.map(({ unit }) => unit));
    expect(new Set(claimed).size).toBe(claimed.length);
    expect(claimed.length).toBeGreaterThan(0);
  }
});

it('a claim passes over what another one is taking, and takes the next', async () => {
  await insertJobs(work.current, 1, ['a', 'b']);
  await one().claim(CLAIM);
  await work.current.pool.query(`update lease set until = '-infinity'`);
  const taking = await work.current.pool.connect();
  try {
    await taking.query(`begin; select from lease where unit = 'a' for update`);
    expect((await other().claim(CLAIM)).claimed).toEqual([{ ledger: 1, unit: 'b', failures: 1 }]);
    await taking.query('rollback');
  } finally {
    taking.release();
  }
});

it('a claim tells how many it chose: more than it has where another one was first', async () => {
  await insertJobs(work.current, 1, ['a', 'b', 'c']);
  await one().claim(CLAIM);
  await work.current.pool.query(`update lease set until = '-infinity'`);
  const taking = await work.current.pool.connect();
  try {
    await taking.query(`begin; select from lease where unit in ('a', 'b') for update`);
    expect(await other().claim({ ...CLAIM, count: 2 })).toMatchObject({ claimed: [], chosen: 2 });
    expect(await other().claim(CLAIM)).toMatchObject({ claimed: [{ unit: 'c' }], chosen: 3 });
    await taking.query('rollback');
  } finally {
    taking.release(true);
  }
  expect(await other().claim(CLAIM)).toMatchObject({ chosen: 2 });
  expect(await other().claim(CLAIM)).toMatchObject({ claimed: [], chosen: 0 });
});

it('a unit that somebody holds takes the place of no other one, and tells when it may be free', async () => {
  await insertJobs(work.current, 1, ['a']);
  expect(await one().claim(CLAIM)).toMatchObject({ claimed: [{ unit: 'a', failures: 0 }] });
  await insertJobs(work.current, 1, ['b']);
  const { claimed, wait } = await other().claim({ ...CLAIM, count: 1, each: 1 });
  expect(claimed).toEqual([{ ledger: 1, unit: 'b', failures: 0 }]);
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(60 * SECOND);
  const { claimed: none, lag } = await other().claim(CLAIM);
  expect([none, lag]).toEqual([[], 0]);
});

it('only who holds a lease renews it, gives it back or forgets it', async () => {
  await insertJobs(work.current, 1, ['a']);
  await one().claim(CLAIM);
  const held = [{ unit: 'a', holder: 'process 0', failures: 0 }];
  expect(await other().renew([KEY], SECOND)).toEqual([]);
  await other().release(KEY, 0, 7);
  await other().forget(KEY);
  expect(await rows()).toEqual(held);
  expect(await one().renew([KEY], SECOND)).toEqual([KEY]);
  await one().release(KEY, 0, 7);
  expect(await rows()).toEqual([{ unit: 'a', holder: null, failures: 7 }]);
  expect((await other().claim(CLAIM)).claimed).toEqual([{ ledger: 1, unit: 'a', failures: 7 }]);
  await other().forget(KEY);
  expect(await rows()).toEqual([]);
});

it("what this process runs is not claimed again, and counts as its ledger's", async () => {
  await insertJobs(work.current, 1, ['a', 'b', 'c']);
  const running = [{ ledger: 1, unit: 'a' }];
  const { claimed } = await one().claim({ ...CLAIM, running, each: 2 });
  expect(claimed.map(({ unit }) => unit)).toEqual(['b']);
});

it('workers have leases of their own', async () => {
  await insertJobs(work.current, 1, ['a']);
  await one().claim(CLAIM);
  expect((await other().claim({ ...CLAIM, worker: 'another' })).claimed).toHaveLength(1);
});

it.each([queryLimits.due.listed, queryLimits.due.listed + 1])(
  'of %d due units no more are considered than the limit',
  async (count) => {
    await work.current.pool.query('insert into job (ledger_id, id) select n, n from generate_series(1, $1::int) n', [
      count,
    ]);
    const { claimed } = await one().claim({ ...CLAIM, count: 2 * count });
    expect(claimed).toHaveLength(queryLimits.due.listed);
  },
);
