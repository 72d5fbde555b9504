import type pg from 'pg';
import { queryUntil } from '../store/abortable.js';
import { ANALYZE, STATISTICS_DUE } from '../store/statistics.js';
import { type BackgroundWorker, ONE_OF_ALL } from './worker.js';

/** Gives PostgreSQL statistics soon after the first writes, and each time the tables have doubled (`STATISTICS_DUE`). */
export function renewStatistics(pool: pg.Pool): BackgroundWorker {
  return {
    name: 'renew-statistics',
    due: `${ONE_OF_ALL} where ${STATISTICS_DUE}`,
    every: 2_000,
    rest: 2_000,
    timeout: 60_000,
    concurrency: 1,
    each: 1,
    run: async (_unit, signal) => void (await queryUntil(pool, { text: ANALYZE }, signal)),
  };
}
