import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { serves, startOf } from './process.js';

/** Milliseconds to wait for a clean stop, then for one without a checkpoint. */
const patience = { fast: 30_000, immediate: 15_000 };
const interval = 20;

/**
 * Stops the PostgreSQL that a killed server left running on `cluster`, and clears its lock file when the process named
 * there is some other one that got the id since. To be called with the data directory locked: then no living server
 * depends on it.
 *
 * @throws Error when it does not stop
 */
export async function stopLeftBehind(cluster: string, log: (line: string) => void): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  const pid = Number.parseInt((await readFile(file, 'utf8').catch(() => '')).split('\n')[0] ?? '', 10);
  if (!(pid > 0)) return;
  const started = await startOf(pid);
  if (started === undefined) return;
  const answer = await serves(pid, cluster);
  // PostgreSQL itself would take the other process for one of its own, and refuse to start.
  if (answer === 'no') await rm(file, { force: true });
  if (answer !== 'yes') return;
  log(`stopping the PostgreSQL (process ${pid}) that a killed server left running`);
  const steps = [
    ['SIGINT', patience.fast],
    ['SIGQUIT', patience.immediate],
  ] as const;
  for (const [signal, milliseconds] of steps) {
    send(pid, signal);
    for (let waited = 0; waited < milliseconds; waited += interval) {
      if ((await startOf(pid)) !== started) return;
      await pause(interval);
    }
  }
  throw new Error(`the PostgreSQL that a killed server left running (process ${pid}) does not stop`);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
