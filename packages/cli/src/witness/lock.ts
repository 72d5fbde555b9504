import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { localFailure } from '../terminal/failure.js';
import { createFile, replaceFile } from './durable.js';

const LOCK_PREFIX = 'lock.';
/** Each lost attempt means that another witness took a lock. */
const LOCK_ATTEMPTS = 50;
/** Content of a released lock file. */
const FREE = 'free\n';

/**
 * Takes a folder for this process, until it is released or the process ends in whatever way.
 *
 * Locks are numbered files that name their owner, and the highest number counts. Where its owner is dead, a process
 * makes the next number, which exactly one can. The one before it stays: a process that looked a moment ago must not
 * mistake the folder for a free one.
 *
 * @returns releases it
 * @throws Failure while another process has it
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const own = `${process.pid} ${await processStart(process.pid)}\n`;
  for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt += 1) {
    const last = await highestLock(folder);
    const owner = await findLockOwner(join(folder, `${LOCK_PREFIX}${last}`));
    if (owner !== undefined) {
      throw localFailure(`The folder ${folder} is in use by process ${owner}.`, 'one witness at a time; give --state');
    }
    const name = `${LOCK_PREFIX}${last + 1}`;
    if (!(await createFile(folder, name, own))) continue;
    if ((await highestLock(folder)) === last + 1) {
      for (const number of await lockNumbers(folder)) {
        if (number < last) await rm(join(folder, `${LOCK_PREFIX}${number}`), { force: true });
      }
      return () => replaceFile(folder, name, FREE);
    }
    await rm(join(folder, name), { force: true });
  }
  throw localFailure(`The folder ${folder} cannot be locked: too many witnesses are starting on it.`);
}

async function lockNumbers(folder: string): Promise<number[]> {
  const names = (await readdir(folder)).map((name) => /^lock\.([1-9]\d{0,14})$/.exec(name)?.[1]);
  return names.flatMap((digits) => (digits === undefined ? [] : [Number(digits)]));
}

async function highestLock(folder: string): Promise<number> {
  return Math.max(0, ...(await lockNumbers(folder)));
}

async function findLockOwner(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const [, pid, started] = /^(\d{1,10}) (\S+)\n$/.exec(text) ?? [];
  return pid !== undefined && (await processStart(Number(pid))) === started ? Number(pid) : undefined;
}

/** When a process began, which tells it from a later one of its id; undefined when there is none. */
async function processStart(pid: number): Promise<string | undefined> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return undefined;
  }
  if (process.platform !== 'linux') return 'alive';
  try {
    const [boot, stat] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
    ]);
    // The name of the program, in parentheses, may hold spaces. The 22nd field is the start.
    return `${boot.trim()}/${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return undefined;
  }
}
