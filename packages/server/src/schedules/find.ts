import { type BackgroundWorker, ONE_OF_ALL } from '../background/worker.js';
import { queryLimits } from '../store/queries/query-limits.js';
import type { Schedules } from '../store/schedules.js';

/** As many as are marked at a time: there may be more. */
const MOST_MARKED = queryLimits.due.listed;

/**
 * Looks every two seconds, in one process of the deployment, which schedules there is something to do for, by the clock
 * of the service. What to do is for `followSchedules` to find out, ledger by ledger.
 *
 * @param now milliseconds since 1970
 * @param found told when there are any
 */
export function findSchedules(schedules: Schedules, now: () => number, found: () => void): BackgroundWorker {
  return {
    name: 'find-schedules',
    due: ONE_OF_ALL,
    every: 2_000,
    rest: 2_000,
    timeout: 30_000,
    concurrency: 1,
    each: 1,
    async run(_unit, signal) {
      for (let marked: number = MOST_MARKED; marked >= MOST_MARKED; ) {
        marked = await schedules.markDue(now(), signal);
        if (marked > 0) found();
      }
    },
  };
}
