import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free-port.js';

/** All of the server in one file, which a process loads in a third of the time (scripts/testing/bundle.mjs). */
const main = fileURLToPath(new URL('../.bundle/main.js', import.meta.url));

/** The service as operators run it: a process of its own, from a bundle of the built sources, with its own PostgreSQL. */
export interface Service {
  readonly url: string;
  /** The metrics of its processes; `metricsOfAll` waits until none is left out. */
  readonly metrics: string;
  /** The processes that serve. */
  workers(): number[];
  /** Asks it to replace them, as an operator does after an upgrade. */
  renew(): void;
  /** All it wrote to its error output. */
  errors(): string;
  /** Asks it to stop, and waits until it has. */
  stop(): Promise<number | null>;
  /** Ends it at once, without its having a say; its PostgreSQL goes on. */
  kill(): Promise<void>;
}

const children = new Set<ChildProcess>();

/**
 * Starts the service on a folder.
 *
 * @param workers how many processes serve
 * @param more settings
 *
 * @throws Error with what it said when it ends instead of listening
 */
export async function startService(dataDir: string, workers = 2, more: NodeJS.ProcessEnv = {}): Promise<Service> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [main], {
    env: {
      ...environment(),
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'error',
      WORKERS: `${workers}`,
      ...more,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  children.add(child);
  const said = { out: '', err: '' };
  child.stdout.on('data', (text: Buffer) => {
    said.out += text;
  });
  child.stderr.on('data', (text: Buffer) => {
    said.err += text;
  });
  const ended = once(child, 'exit').then(([code]) => {
    children.delete(child);
    return code as number | null;
  });
  const listening = /^listening on (http:\S+)\nmetrics on (http:\S+)$/m;
  const late = performance.now() + 90_000;
  while (!listening.test(said.out)) {
    const code = await Promise.race([ended, pause(20)]);
    if (code !== undefined) throw new Error(`exit code ${code}: ${said.err}`);
    if (performance.now() > late) throw new Error(`not listening in time: ${said.err}`);
  }
  return {
    url: listening.exec(said.out)?.[1] ?? '',
    metrics: listening.exec(said.out)?.[2] ?? '',
    workers: () => childrenOf(child.pid ?? 0),
    renew: () => void child.kill('SIGHUP'),
    errors: () => said.err,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
    async kill() {
      killGroup(child);
      await ended;
    },
  };
}

/** The metrics of a service, once each of its workers has told its own in time: on a busy machine one may be left out. */
export async function metricsOfAll({ metrics, workers }: Pick<Service, 'metrics' | 'workers'>): Promise<string> {
  const late = performance.now() + 90_000;
  for (;;) {
    const text = await (await fetch(metrics)).text();
    const told = new Set([...text.matchAll(/^countersign_ready\{worker="(\d+)"\} /gm)].map(([, worker]) => worker));
    if (told.size > 0 && told.size === workers().length) return text;
    if (performance.now() > late) throw new Error(`${told.size} of ${workers().length} workers tell their metrics`);
    await pause(100);
  }
}

/** The worker processes of the service with that process id. */
function childrenOf(pid: number): number[] {
  const told = childrenInProc(pid);
  if (told) return told;
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [, own, parent, args] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return Number(parent) === pid && args?.includes(main) ? [Number(own)] : [];
  });
}

/** As Linux tells it: `ps` looks at every process of the machine, and tests ask often. */
function childrenInProc(pid: number): number[] | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    return children.filter((child) => commandOf(child).includes(main)).map(Number);
  } catch {
    return undefined;
  }
}

/** Nothing when it has just ended. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Ends every process that a test may have left, the PostgreSQL of the folder among them. */
export async function leaveNothingBehind(dataDir: string): Promise<void> {
  for (const child of children) killGroup(child);
  await killPostgres(dataDir);
}

/** Ends the folder's PostgreSQL at once, as a power failure would. */
export async function killPostgres(dataDir: string): Promise<void> {
  const file = await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(file.split('\n')[0]);
  if (!(pid > 0)) return;
  try {
    process.kill(pid, 'SIGKILL');
    // Its children end by themselves when they notice.
    for (;;) {
      process.kill(pid, 0);
      await pause(10);
    }
  } catch {
    // It is gone.
  }
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}

/** What the tests themselves are told must not reach the service. */
function environment(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, MASTER_KEY: __, PUBLIC_URL: ___, ...others } = process.env;
  return others;
}
