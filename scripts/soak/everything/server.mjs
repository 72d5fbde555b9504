import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../packages/server/dist/main.js', import.meta.url));

/** Milliseconds in which a server must be ready again. */
const PATIENCE = 180_000;

/** The server as operators start it, with its own PostgreSQL, and the ways in which parts of it are ended. Linux only. */
export class Server {
  #child;
  #port;
  #folder;
  #ended;

  get pid() {
    return this.#child.pid;
  }

  /** Starts it. Its log goes to a file, a line of JSON each. */
  async start({ port, folder, workers, log }) {
    this.#port = port;
    this.#folder = folder;
    const env = {
      ...process.env,
      ...{ PORT: port, HOST: '127.0.0.1', METRICS_PORT: 'off', DATA_DIR: folder, WORKERS: workers, LOG_LEVEL: 'warn' },
      ...{ DATABASE_URL: '', PUBLIC_URL: '', DELIVERY_ALLOW_PRIVATE: 'true' },
    };
    // It writes the file itself: all is there once it has ended.
    writeFileSync(log, '');
    const file = openSync(log, 'a');
    this.#child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', file], detached: true });
    closeSync(file);
    this.#ended = once(this.#child, 'exit');
    for await (const line of createInterface({ input: this.#child.stdout })) {
      if (line.startsWith('listening on ')) break;
    }
    if (this.#child.exitCode !== null) throw new Error(`the server has ended: see ${log}`);
    // What is said to who starts it.
    this.#child.stdout.resume();
  }

  /** Whether it has ended, which it must not by itself. */
  get hasEnded() {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Ids of the processes that serve. */
  workers() {
    return childrenOf(this.pid).filter((pid) => commandOf(pid).includes(MAIN));
  }

  /** All processes: `[{ pid, what }]`, `what` one of `primary`, `worker` and `postgres`. */
  processes() {
    const postgres = this.postmaster();
    const of = (what) => (pid) => ({ pid, what });
    return [
      { pid: this.pid, what: 'primary' },
      ...this.workers().map(of('worker')),
      ...(postgres === undefined ? [] : [postgres, ...childrenOf(postgres)].map(of('postgres'))),
    ];
  }

  /** The first process of PostgreSQL; undefined while there is none. */
  postmaster() {
    try {
      const [pid] = readFileSync(join(this.#folder, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n');
      return isAlive(Number(pid)) ? Number(pid) : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Ends PostgreSQL as an operator does (`fast`), or as a power failure would (`killed`), or kills one of its connections.
   *
   * @returns which of these it has done: all is killed where there is no connection; undefined when there is no PostgreSQL
   */
  endDatabase(how) {
    const postgres = this.postmaster();
    if (postgres === undefined) return undefined;
    if (how === 'fast') {
      process.kill(postgres, 'SIGINT');
      return how;
    }
    const [connection] =
      how === 'killed' ? [] : childrenOf(postgres).filter((pid) => /countersign countersign/.test(commandOf(pid)));
    process.kill(connection ?? postgres, 'SIGKILL');
    return connection === undefined ? 'killed' : how;
  }

  /** Waits until it says several times in a row that it is ready, on a connection of its own each time. */
  async ready() {
    const late = performance.now() + PATIENCE;
    for (let times = 0; times < 6; ) {
      const url = `http://127.0.0.1:${this.#port}/health/ready`;
      const options = { headers: { connection: 'close' }, signal: AbortSignal.timeout(5_000) };
      const answer = await fetch(url, options).catch(() => undefined);
      await answer?.text().catch(() => {});
      times = answer?.status === 200 ? times + 1 : 0;
      if (performance.now() > late) throw new Error(`the server is not ready after ${PATIENCE / 1_000} s`);
      await pause(200);
    }
  }

  /** Asks it to end, and kills it when that takes too long. @returns its exit code; null when it was killed */
  async stop() {
    if (!this.#child || this.hasEnded) return this.#child?.exitCode;
    this.#child.kill('SIGTERM');
    const late = setTimeout(() => process.kill(-this.pid, 'SIGKILL'), PATIENCE);
    const [code] = await this.#ended;
    clearTimeout(late);
    return code;
  }
}

function childrenOf(pid) {
  try {
    const text = readdirSync(`/proc/${pid}/task`).map((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'),
    );
    return text.join(' ').split(/\s+/).filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return pid > 0;
  } catch {
    return false;
  }
}
