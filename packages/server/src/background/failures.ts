import type { FastifyBaseLogger } from 'fastify';
import { limitRate } from '../base/rate-limit.js';
import { limits } from '../limits.js';
import type { BackgroundMetrics } from '../metrics.js';

/** What of background work can fail: the look for due units, a run, or what keeps, gives back and announces leases. */
export type Step = 'claim' | 'run' | 'renew' | 'release' | 'hint';

/** A failure as the log tells of it. */
export interface Failure {
  /** The worker's name; absent for what is of all of them. */
  readonly name?: string;
  readonly step: Step;
  readonly ledger?: number;
  readonly unit?: string;
  /** How often in a row. */
  readonly failures?: number;
  /** Milliseconds until it is tried again. */
  readonly retryIn?: number;
  readonly err: unknown;
}

/**
 * Counts every failure, and logs each in one line. A line tells how many went untold before it, where there were more than
 * `limits.background.lines` allows.
 *
 * @param now milliseconds
 */
export function createFailures(
  log: FastifyBaseLogger,
  metrics: BackgroundMetrics,
  now: () => number,
): (failure: Failure) => void {
  const pass = limitRate(limits.background.lines, now);
  return (failure) => {
    metrics.failed(failure.name ?? '', failure.step);
    const passed = pass();
    if (!passed) return;
    const untold = passed.refused > 0 ? { untold: passed.refused } : {};
    log.error({ ...failure, ...untold }, 'background work failed');
  };
}
