import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/**
 * When a process started, as text that tells it from later processes with the same id: ids are reused, and in a
 * container the same id recurs at nearly every start. On Windows it is always `alive`.
 *
 * @returns undefined when the process is missing or a zombie
 */
export async function startOfProcess(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') return startOnLinux(pid);
  if (process.platform === 'win32') return isAlive(pid) ? 'alive' : undefined;
  const line = await ps(pid, 'lstart=');
  return line === '' ? undefined : line;
}

async function startOnLinux(pid: number): Promise<string | undefined> {
  let line: string;
  try {
    line = await readFile(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name, in parentheses, may itself hold spaces and parentheses; the later fields are free of them.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state, ticks] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X') return undefined;
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return `${boot.trim()} ${ticks}`;
}

/**
 * Whether a living process is the PostgreSQL that serves the cluster in `cluster`.
 *
 * @returns `unknown` on Windows, and where this account may not look
 */
export async function serves(pid: number, cluster: string): Promise<'yes' | 'no' | 'unknown'> {
  if (process.platform === 'win32') return 'unknown';
  if (process.platform === 'linux') {
    try {
      // PostgreSQL works in its cluster's folder. Compared by inode, as one folder may be reached by several paths.
      const [there, here] = await Promise.all([stat(`/proc/${pid}/cwd/`), stat(cluster)]);
      return there.dev === here.dev && there.ino === here.ino ? 'yes' : 'no';
    } catch {
      return 'unknown';
    }
  }
  const command = await ps(pid, 'command=');
  if (command.includes(cluster)) return 'yes';
  return command.includes('postgres') ? 'unknown' : 'no';
}

/**
 * The living processes that work in `cluster`: those of a PostgreSQL that serves it, or of one that was killed.
 *
 * @returns an empty list outside Linux
 */
export async function findProcessesIn(cluster: string): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const here = await stat(cluster).catch(() => undefined);
  if (here === undefined) return [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const working = await Promise.all(
    pids.map(async (pid) => {
      const there = await stat(`/proc/${pid}/cwd/`).catch(() => undefined);
      const same = there !== undefined && there.dev === here.dev && there.ino === here.ino;
      return same && (await startOfProcess(Number(pid))) !== undefined ? [Number(pid)] : [];
    }),
  );
  return working.flat();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function ps(pid: number, column: string): Promise<string> {
  try {
    const { stdout } = await execute('ps', ['-ww', '-o', column, '-p', String(pid)], {
      // biome-ignore lint/style/noProcessEnv: the child process has this one's environment
      env: { ...process.env, LC_ALL: 'C' },
    });
    return stdout.trim();
  } catch {
    return '';
  }
}
