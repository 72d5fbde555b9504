import { chmod, mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** The folder that Linux keeps in memory. */
const MEMORY = '/dev/shm';
const NAME = 'countersign-tests-';

/** Bytes that must be free: a run takes a tenth of that. */
const ENOUGH = 4 * 2 ** 30;

/**
 * Runs once for the whole run: puts temporary files into memory where there is room. The databases of the tests are made of
 * hundreds of small files, which take a disk ten times the processor time. Among them is what the engine has compiled: a
 * process takes what those before it have kept there.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TMPDIR !== undefined || !(await isUsable())) return undefined;
  await removeLeft();
  const folder = await mkdtemp(join(MEMORY, `${NAME}${process.pid}-`));
  // PostgreSQL runs as another user than root.
  await chmod(folder, 0o711);
  process.env.TMPDIR = folder;
  const isGiven = process.env.NODE_COMPILE_CACHE !== undefined;
  if (!isGiven) process.env.NODE_COMPILE_CACHE = join(folder, 'compiled');
  return async () => {
    delete process.env.TMPDIR;
    if (!isGiven) delete process.env.NODE_COMPILE_CACHE;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}

/** Whether there is room, and programs may run there: tests compile some. */
async function isUsable(): Promise<boolean> {
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '');
  const [, options = ''] = new RegExp(`^\\S+ ${MEMORY} tmpfs (\\S+)`, 'm').exec(mounts) ?? [];
  if (options === '' || options.split(',').some((one) => one === 'noexec' || one === 'ro')) return false;
  const { bavail, bsize } = await statfs(MEMORY);
  const available = /^MemAvailable: +(\d+) kB$/m.exec(await readFile('/proc/meminfo', 'utf8'))?.[1];
  return Math.min(bavail * bsize, Number(available) * 1024) >= ENOUGH;
}

/** Removes what runs have left that were killed. */
async function removeLeft(): Promise<void> {
  for (const name of await readdir(MEMORY)) {
    const pid = Number(new RegExp(`^${NAME}(\\d+)-`).exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) await rm(join(MEMORY, name), { recursive: true, force: true }).catch(() => {});
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
