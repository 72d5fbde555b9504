import type { Worker } from 'node:cluster';
import { clusterLimits } from './cluster-limits.js';
import type { ToPrimary } from './messages.js';

/** Milliseconds between two heartbeats of a worker. */
export const BEAT = 1_000;

/**
 * A watchdog for a worker: kills one whose event loop has stood still for `clusterLimits.standstill`, since it neither serves
 * nor hears a message to stop. The supervisor then replaces it.
 *
 * Silence is counted in rounds of the primary's own timer: when the whole machine stands still or is too busy, the
 * primary counts as slowly. Counting starts once the worker has loaded its code.
 *
 * @param stoodStill called before it is killed
 */
export function watchWorker(worker: Worker, stoodStill: () => void): void {
  let silent: number | undefined;
  const timer = setInterval(() => {
    if (silent === undefined) return;
    silent += 1;
    if (silent * BEAT < clusterLimits.standstill) return;
    clearInterval(timer);
    stoodStill();
    worker.process.kill('SIGKILL');
  }, BEAT);
  timer.unref();
  worker.on('message', ({ type }: ToPrimary) => {
    if (type === 'alive' || type === 'ready') silent = 0;
  });
  worker.once('exit', () => clearInterval(timer));
}
