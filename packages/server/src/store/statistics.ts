import type pg from 'pg';

/**
 * Writes of a process after which the tables may hold so much more that what was planned before is wrong. From the last
 * one on, indexes look as much better as they are.
 */
const STEPS = [200, 2_000, 20_000];

/**
 * Makes sure that PostgreSQL has statistics soon after the first writes. With nothing in the tables every index that
 * begins with the ledger seems as good as another, with little in them none seems needed, and connections keep the plans
 * they made then: at 24,000 records an update read all of its ledger for it, 4 ms instead of 1. Left to itself
 * PostgreSQL looks once in a minute, unless it is told otherwise; with new statistics all plans are made anew.
 *
 * @returns to be told of every commit, with the number of its writes; it never waits and never fails
 */
export function createStatistics(pool: pg.Pool): (writes: number) => void {
  let seen = 0;
  return (writes) => {
    const before = seen;
    seen += writes;
    if (STEPS.some((step) => before < step && seen >= step)) void renew(pool).catch(() => {});
  };
}

/** Only where most rows are new to the statistics. What fails here is merely slow, and PostgreSQL's own turn comes. */
async function renew(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ due: boolean }>(
    `select n_mod_since_analyze * 2 >= n_live_tup as due from pg_stat_user_tables where relid = 'record'::regclass`,
  );
  if (rows[0]?.due) await pool.query('analyze record, change');
}
