import type { Worker } from 'node:cluster';
import { limits } from '../limits.js';
import type { ToPrimary } from './messages.js';

/** Milliseconds between two signs of life of a worker. */
export const BEAT = 1_000;

/**
 * Watches a worker: one whose event loop has stood still for `limits.standstill` does not serve, and does not hear that it
 * should stop. It is killed; whoever looks after workers replaces it.
 *
 * What is counted is how often the primary itself came round without a sign of life. Where the whole machine stood still, or
 * was too busy for either, the primary did not come round either. A worker that has yet to load its code is waited for.
 *
 * @param stoodStill called before it is killed
 */
export function watch(worker: Worker, stoodStill: () => void): void {
  let silent: number | undefined;
  const timer = setInterval(() => {
    if (silent === undefined) return;
    silent += 1;
    if (silent * BEAT < limits.standstill) return;
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
