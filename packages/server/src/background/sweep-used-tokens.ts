import type pg from 'pg';
import { queryUntil } from '../store/abortable.js';
import { DELETE_OLD_LEASES } from '../store/queries/leases.js';
import { queryLimits } from '../store/queries/query-limits.js';
import { deleteExpiredTokens } from '../store/queries/replays.js';
import { type BackgroundWorker, ONE_OF_ALL } from './worker.js';

/**
 * Deletes expired tokens, once a minute in the whole deployment, and outdated rows of leases.
 *
 * @param now milliseconds since 1970 by the clock that tokens are judged by
 */
export function sweepUsedTokens(pool: pg.Pool, now: () => number): BackgroundWorker {
  return {
    name: 'sweep-used-tokens',
    due: ONE_OF_ALL,
    every: 60_000,
    rest: 60_000,
    timeout: 60_000,
    concurrency: 1,
    each: 1,
    async run(_unit, signal) {
      for (;;) {
        const { rows } = await queryUntil(pool, deleteExpiredTokens(now()), signal);
        if (Number(rows[0]?.swept ?? 0) < queryLimits.due.swept) break;
      }
      await queryUntil(pool, { text: DELETE_OLD_LEASES }, signal);
    },
  };
}
