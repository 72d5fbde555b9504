import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably, writeOnce } from './files.js';
import { startOfProcess } from './process.js';

/**
 * Attempts at taking the lock. Each lost one means that another server took a lock, so only many at once exhaust them.
 */
const lockAttempts = 50;

const prefix = 'server.lock.';

interface LockOwner {
  readonly pid: number;
  readonly started: string;
}

/** An exclusive lock on a data directory. */
export interface Lock {
  /** Releases the lock. Idempotent. */
  release(): Promise<void>;
}

/**
 * Locks `dataDir` for this process until released, or until the process ends in whatever way.
 *
 * Locks are numbered files that name their owner, and the highest number counts. When its owner is dead, a process
 * supersedes it by creating the next number, which exactly one process can. A released or superseded file is kept until
 * the next lock (`sweep`), so that a process which looked a moment ago cannot mistake the directory for a free one.
 *
 * @param setting the name of the setting that holds the path, for errors
 * @throws Error `… is in use by process N` while its owner lives
 */
export async function lockDataDir(dataDir: string, setting: string): Promise<Lock> {
  const owner: LockOwner = { pid: process.pid, started: (await startOfProcess(process.pid)) ?? 'unknown' };
  for (let turn = 0; turn < lockAttempts; turn++) {
    const number = await highestLockNumber(dataDir);
    const holder = await findLivingOwner(join(dataDir, prefix + number));
    if (holder !== undefined) throw new Error(`${setting} ${dataDir} is in use by process ${holder}`);
    const path = join(dataDir, prefix + (number + 1));
    if (!(await writeOnce(path, `${JSON.stringify(owner)}\n`, 0o644))) continue;
    if ((await highestLockNumber(dataDir)) === number + 1) {
      await sweep(dataDir, number);
      return { release: () => writeDurably(path, '{}\n', 0o644) };
    }
    await rm(path, { force: true });
  }
  throw new Error(`${setting} ${dataDir} could not be locked: too many servers are starting on it`);
}

/** The id of the living process that has locked a folder; undefined where none has. */
export async function findLockHolder(dataDir: string): Promise<number | undefined> {
  return findLivingOwner(join(dataDir, prefix + (await highestLockNumber(dataDir))));
}

/** Whether a file of the folder is a lock, held or not. */
export function isLockFile(name: string): boolean {
  return parseLockNumber(name) > 0;
}

async function highestLockNumber(dataDir: string): Promise<number> {
  return (await readdir(dataDir)).reduce((number, name) => Math.max(number, parseLockNumber(name)), 0);
}

/** The number of a lock; 0 for any other file. */
function parseLockNumber(name: string): number {
  const number = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^[1-9]\d{0,14}$/.test(number) ? Number(number) : 0;
}

/**
 * The id of the living process that owns a lock; undefined when the lock is missing, released, or its owner is dead.
 */
async function findLivingOwner(path: string): Promise<number | undefined> {
  const owner = await loadOwner(path);
  return owner !== undefined && (await startOfProcess(owner.pid)) === owner.started ? owner.pid : undefined;
}

async function loadOwner(path: string): Promise<LockOwner | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const [, pid, started] = /^\{"pid":(\d{1,10}),"started":"([^"]+)"\}\n$/.exec(text) ?? [];
  return pid === undefined || started === undefined ? undefined : { pid: Number(pid), started };
}

/**
 * Deletes the locks older than the one before ours; that one stays, for a process that is reading the folder right now.
 */
async function sweep(dataDir: string, before: number): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const number = parseLockNumber(name);
    // Another server may be sweeping too.
    if (number > 0 && number < before) await rm(join(dataDir, name), { force: true });
  }
}
