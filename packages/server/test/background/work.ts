import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Background, type BackgroundOptions, startBackground } from '../../src/background/background.js';
import { backgroundLimits } from '../../src/background/background-limits.js';
import type { BackgroundWorker } from '../../src/background/worker.js';
import { createMetrics, type Metrics } from '../../src/metrics.js';
import { databaseLimits } from '../../src/store/database-limits.js';
import { createPool } from '../../src/store/pool.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { seeded } from '../support/seed.js';

/** A database with jobs to do. */
export interface Work {
  readonly url: string;
  readonly pool: pg.Pool;
}

/** The runtime in this process, with what it tells. */
export interface Started {
  readonly background: Background;
  readonly metrics: Metrics;
  /** Lines of its log, as JSON. */
  readonly lines: readonly Record<string, unknown>[];
  /** The value of a metric with those labels; nothing when it has none. */
  value(metric: string, labels: Readonly<Record<string, string>>): Promise<number | undefined>;
}

/**
 * Jobs are the rows of a table of a test's own; a run of one is a row of another, in the times of the database. Jobs are
 * due until they are deleted.
 */
const TABLES = `
  create table job (
    ledger_id bigint not null, id text not null, due timestamptz not null default clock_timestamp(),
    primary key (ledger_id, id));
  create table run (
    process text not null, ledger_id bigint not null, id text not null,
    began timestamptz not null default clock_timestamp(), ended timestamptz);`;

/** Bounds that a test can wait for: all in milliseconds. */
export const QUICK = {
  ...backgroundLimits,
  beat: 50,
  jitter: 5,
  pause: 1,
  retry: { first: 1, greatest: 5 },
  reconnect: { first: 1, greatest: 20 },
};

const random = seeded();

/** A database for each test file, emptied after each test, when all that was started is stopped. */
export function withWork(): { readonly current: Work; start(options: Partial<BackgroundOptions>): Started } {
  let database: TestDatabase;
  let current: Work;
  const cleanUp: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    database = await createMigratedDatabase();
    current = { url: database.url, pool: createPool({ connectionString: database.url }, () => {}) };
    await current.pool.query(TABLES);
  });
  afterEach(async () => {
    await Promise.all(cleanUp.splice(0).map((end) => end()));
    await current.pool.query('truncate job, run, lease');
  });
  afterAll(async () => {
    await current.pool.end();
    await database.drop();
  });
  return {
    get current() {
      return current;
    },
    start(options) {
      const lines: Record<string, unknown>[] = [];
      const metrics = createMetrics('0');
      const pool = createPool({ connectionString: current.url, max: databaseLimits.connections.leases }, () => {});
      const background = startBackground({
        workers: [],
        pool,
        holder: `test/${random()}`,
        metrics: metrics.background,
        logger: pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) }),
        now: Date.now,
        clock: () => performance.now(),
        random,
        bounds: QUICK,
        ...options,
      });
      cleanUp.push(async () => {
        await background.stop();
        await pool.end();
      });
      const value: Started['value'] = async (metric, labels) => {
        const { values } = await metrics.registry.getSingleMetric(metric)!.get();
        const is = (one: Readonly<Record<string, unknown>>) =>
          Object.entries(labels).every(([label, text]) => one[label] === text);
        return values.find((one) => is(one.labels))?.value;
      };
      return { background, metrics, lines, value };
    },
  };
}

/** A worker with a unit for each job, which are many in one ledger; it looks quickly. */
export function jobWorker(run: BackgroundWorker['run'], more: Partial<BackgroundWorker> = {}): BackgroundWorker {
  const due = 'select ledger_id, id, due from job where due <= clock_timestamp()';
  return { name: 'job', due, every: 50, rest: 0, timeout: 600_000, concurrency: 8, each: 4, run, ...more };
}

/** Inserts jobs of a ledger, due in their order. */
export async function insertJobs({ pool }: Work, ledger: number, ids: readonly string[]): Promise<void> {
  await pool.query('insert into job (ledger_id, id) select $1, unnest($2::text[])', [ledger, ids]);
}

/** Deletes a job, as a run does that has done it. */
export async function finishJob({ pool }: Work, { ledger, unit }: { ledger: number; unit: string }): Promise<void> {
  await pool.query('delete from job where ledger_id = $1 and id = $2', [ledger, unit]);
}

/** Resolves when the signal is aborted, with its reason. */
export async function aborted(signal: AbortSignal): Promise<unknown> {
  if (!signal.aborted) await once(signal, 'abort');
  return signal.reason;
}

/** What a process of `process.mjs` is told. */
export interface ProcessOptions {
  readonly url: string;
  readonly name: string;
  readonly worker: Omit<BackgroundWorker, 'run'>;
  readonly bounds: BackgroundOptions['bounds'];
  /** `hold`: a run ends only when it is aborted. `tick`: it takes some milliseconds, and leaves the job due. */
  readonly mode: 'hold' | 'tick';
}

/** Starts the runtime in a process of its own, from the built sources. */
export function startProcess(options: ProcessOptions): ChildProcess {
  const script = fileURLToPath(new URL('./process.mjs', import.meta.url));
  return spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** Ends a process at once, without its having a say, and waits until it is gone. */
export async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
