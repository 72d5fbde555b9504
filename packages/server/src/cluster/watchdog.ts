import type { ChildProcess } from 'node:child_process';
import { clusterLimits } from './cluster-limits.js';

/** Milliseconds between two heartbeats of a process that is watched. */
export const BEAT = 1_000;

/** What a process that is watched sends: `ready` once it has loaded its code, `alive` with each beat. */
interface Beat {
  readonly type: string;
}

/**
 * A watchdog: kills a process whose event loop has stood still for `clusterLimits.standstill`, since it neither serves
 * nor hears a message to stop. The primary then replaces it.
 *
 * Silence is counted in rounds of the primary's own timer: when the whole machine stands still or is too busy, the primary
 * counts as slowly. Counting starts once the process has loaded its code.
 *
 * @param stoodStill called before it is killed
 */
export function watchProcess(child: ChildProcess, stoodStill: () => void): void {
  let silent: number | undefined;
  const timer = setInterval(() => {
    if (silent === undefined) return;
    silent += 1;
    if (silent * BEAT < clusterLimits.standstill) return;
    clearInterval(timer);
    stoodStill();
    child.kill('SIGKILL');
  }, BEAT);
  timer.unref();
  child.on('message', (message) => {
    const { type } = message as Beat;
    if (type === 'alive' || type === 'ready') silent = 0;
  });
  child.once('exit', () => clearInterval(timer));
}
