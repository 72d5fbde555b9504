import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { ListenAddress } from './address.js';
import type { Binaries } from './binaries.js';
import { clusterIn } from './cluster.js';
import type { Launch } from './launch.js';
import { postgresSettings } from './settings.js';

/** Milliseconds to wait for a clean stop, then for one without a checkpoint, before it is killed. */
const stopTimeouts = { fast: 30_000, immediate: 15_000 };

/** Lines of the log that are kept to explain a failed start. */
const logTailLines = 10;

/** A running PostgreSQL. */
export interface PostgresServer {
  /** Resolves when the process has ended, with its exit code, signal or error. */
  readonly ended: Promise<string>;
  /** Whether the process lives. */
  running(): boolean;
  /** The last lines of its log. */
  lastWords(): string;
  /** Stops it cleanly: transactions under way are rolled back. Idempotent. */
  stop(): Promise<void>;
}

export interface PostgresServerOptions {
  readonly connections: number;
  /** Settings in place of `postgresSettings`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

/** Starts PostgreSQL on the cluster in `home`; it becomes ready later. Its log goes to `log`, line by line. */
export function startServer(
  { postgres, pg_ctl }: Binaries,
  launch: Launch,
  home: string,
  address: ListenAddress,
  { connections, settings: others, log }: PostgresServerOptions,
): PostgresServer {
  const settings = { ...postgresSettings, ...others, max_connections: `${connections}`, ...address.settings };
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // In a process group of its own: a Ctrl-C at the terminal is for the server, which still needs its database then.
  const child = launch(postgres, ['-D', clusterIn(home), ...given], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: process.platform !== 'win32',
  });
  const last: string[] = [];
  createInterface({ input: child.stderr! }).on('line', (line) => {
    last.push(line);
    if (last.length > logTailLines) last.shift();
    log(line);
  });
  const ended = exitReason(child);
  const running = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const signal = (name: NodeJS.Signals) => {
    // Windows lacks signals: there pg_ctl sends them.
    if (process.platform === 'win32') spawn(pg_ctl, ['kill', name.slice(3), `${child.pid}`], { stdio: 'ignore' });
    else child.kill(name);
  };
  // Stops PostgreSQL when this process exits on its own, as after an uncaught error.
  const onExit = () => signal('SIGINT');
  process.once('exit', onExit);
  void ended.then(() => process.off('exit', onExit));

  return {
    ended,
    running,
    lastWords: () => last.join('\n'),
    async stop() {
      if (running()) await stopChild(child, ended, signal);
    },
  };
}

async function stopChild(
  child: ChildProcess,
  ended: Promise<unknown>,
  signal: (name: NodeJS.Signals) => void,
): Promise<void> {
  signal('SIGINT');
  const harder = setTimeout(signal, stopTimeouts.fast, 'SIGQUIT');
  const hardest = setTimeout(() => child.kill('SIGKILL'), stopTimeouts.fast + stopTimeouts.immediate);
  await ended;
  clearTimeout(harder);
  clearTimeout(hardest);
}

function exitReason(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
}
