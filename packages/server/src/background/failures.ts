import type { FastifyBaseLogger } from 'fastify';
import { limitRate } from '../base/rate-limit.js';
import type { BackgroundMetrics } from '../metrics.js';
import { backgroundLimits } from './background-limits.js';

/**
 * The steps that can fail: `claim` looks for due units, `run` runs one, `renew` and `release` are about its lease, and
 * `hint` notifies other processes.
 */
export type BackgroundStep = 'claim' | 'run' | 'renew' | 'release' | 'hint';

/** A failure as it is logged. */
export interface WorkerFailure {
  /** The worker's name; absent for a failure that concerns all workers. */
  readonly name?: string;
  readonly step: BackgroundStep;
  readonly ledger?: number;
  readonly unit?: string;
  /** Failures in a row. */
  readonly failures?: number;
  /** Milliseconds until the next attempt. */
  readonly retryIn?: number;
  readonly err: unknown;
}

/**
 * Counts every failure, and logs each in one line, up to the rate of `backgroundLimits.lines`. A line says how many
 * were omitted before it.
 *
 * @param now milliseconds
 */
export function createFailures(
  log: FastifyBaseLogger,
  metrics: BackgroundMetrics,
  now: () => number,
): (failure: WorkerFailure) => void {
  const pass = limitRate(backgroundLimits.lines, now);
  return (failure) => {
    metrics.failed(failure.name ?? '', failure.step);
    const passed = pass();
    if (!passed) return;
    const untold = passed.refused > 0 ? { untold: passed.refused } : {};
    log.error({ ...failure, ...untold }, 'background work failed');
  };
}
