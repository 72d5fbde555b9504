import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { overwriteOwnFile, readOwnFile } from './own-file.js';
import { findProcessesIn, serves, startOfProcess } from './process.js';

/** Milliseconds to wait for a clean stop, then for one without a checkpoint; for orphans to end by themselves. */
const orphanTimeouts = { fast: 30_000, immediate: 15_000, grace: 1_000 };
const orphanPollInterval = 20;

/**
 * Stops the PostgreSQL that a killed server left running on `cluster`, and processes that it left behind in turn; and
 * makes its lock file harmless for the next start. To be called with the data directory locked, so that no living
 * server depends on it.
 *
 * @throws Error when it keeps running
 */
export async function stopLeftBehind(cluster: string, log: (line: string) => void): Promise<void> {
  await stopPostmaster(cluster, log);
  await stopOrphans(cluster, log);
}

async function stopPostmaster(cluster: string, log: (line: string) => void): Promise<void> {
  const content = await readStatus(cluster);
  const pid = Number.parseInt(content.split('\n')[0] ?? '', 10);
  if (!(pid > 0)) return;
  const started = await startOfProcess(pid);
  // A killed process keeps its id until its parent has reaped it: PostgreSQL would take the zombie for a living server.
  if (started === undefined) return disown(cluster, content);
  const answer = await serves(pid, cluster);
  // PostgreSQL would also take an unrelated process with the same id for a living server.
  if (answer === 'no') await disown(cluster, content);
  if (answer !== 'yes') return;
  log(`stopping the PostgreSQL (process ${pid}) that a killed server left running`);
  const steps = [
    ['SIGINT', orphanTimeouts.fast],
    ['SIGQUIT', orphanTimeouts.immediate],
  ] as const;
  for (const [signal, milliseconds] of steps) {
    sendSignal(pid, signal);
    for (let waited = 0; waited < milliseconds; waited += orphanPollInterval) {
      if ((await startOfProcess(pid)) !== started) return disown(cluster, await readStatus(cluster));
      await pause(orphanPollInterval);
    }
  }
  throw new Error(`the PostgreSQL that a killed server left running (process ${pid}) does not stop`);
}

/**
 * Puts the id of this process into the lock file of a dead one. PostgreSQL accepts its own parent there, and still
 * checks, by the rest of the file, whether processes of the former server use its memory. Deleting the file would skip
 * that check.
 */
async function disown(cluster: string, content: string): Promise<void> {
  if (content === '') return;
  await overwriteOwnFile(dirname(cluster), lockFileIn(cluster), content.replace(/^\d+/, String(process.pid)));
}

/** What the lock file holds; an empty text where there is none. */
async function readStatus(cluster: string): Promise<string> {
  try {
    return await readOwnFile(dirname(cluster), lockFileIn(cluster));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

const lockFileIn = (cluster: string): string => join(cluster, 'postmaster.pid');

/**
 * Waits until the orphans of a killed PostgreSQL have ended. They do so by themselves when they notice, which busy ones
 * do late; until then a new one refuses to start.
 */
async function stopOrphans(cluster: string, log: (line: string) => void): Promise<void> {
  for (let waited = 0; waited < orphanTimeouts.immediate; waited += orphanPollInterval) {
    const left = await findProcessesIn(cluster);
    if (left.length === 0) return;
    if (waited === orphanTimeouts.grace) {
      log(`stopping what a killed PostgreSQL left running (${left.length} processes)`);
      for (const pid of left) sendSignal(pid, 'SIGQUIT');
    }
    await pause(orphanPollInterval);
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
