import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import { passOnWithWorker } from './connections.js';
import { collectCounts } from './counts.js';
import { type MeetingPlace, makeMeetingPlace } from './meeting-place.js';
import type { ToPrimary, ToWorker } from './messages.js';
import { type Replacements, replacements } from './replacements.js';
import { watchProcess } from './watchdog.js';

/** The serving processes, as the primary supervises them. */
export interface Workers {
  /** Replaces the workers one after the other; the number that serves stays the same. */
  restart(): Promise<void>;
  /** Lets each worker finish its requests. */
  stop(): Promise<void>;
  /** The metrics of all processes, in the text format of Prometheus. */
  collect(): Promise<string>;
  /** Resolves only when workers die repeatedly as soon as they start, and none serves. */
  readonly failed: Promise<Error>;
}

export interface WorkersOptions {
  readonly count: number;
  readonly databaseUrl: string;
  readonly masterKey: Buffer;
  readonly logger: FastifyBaseLogger;
  /** The metrics of this process, beside which those of the workers are collected. */
  readonly registry: Registry;
}

/** A worker that dies within this many milliseconds counts as an early death. */
const EARLY = 5_000;
/** The primary gives up once each worker has had so many faults in a row. */
const MOST_FAULTS = 5;
/** Milliseconds before a worker that has failed is tried again: twice as long after each failure beyond `after`, up to `max`. */
const RESPITE = { min: 500, max: 10_000, after: 5 };
/** Milliseconds without a worker that serves after which the primary gives up, however the database is. */
const LONGEST_ABSENCE = 10 * 60_000;
/** Milliseconds a worker has to finish before it is killed. */
const STOP_TIMEOUT = 30_000;

/**
 * Starts `count` workers on one shared socket, and resolves when all of them serve. One that dies is replaced.
 *
 * @throws the error of a worker that fails to start
 */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const pool = new WorkerPool(options);
  try {
    await pool.start();
  } catch (error) {
    // The other workers would keep this process alive.
    await pool.stop();
    throw error;
  }
  return pool;
}

class WorkerPool implements Workers {
  readonly failed: Promise<Error>;
  readonly #options: WorkersOptions;
  readonly #slots: readonly Slot[];
  readonly #running = new Set<Worker>();
  readonly #replaced: Replacements;
  #place: MeetingPlace | undefined;
  #fail: (error: Error) => void = () => {};
  #stopping = false;
  /** Since when no worker serves, as it was noticed; undefined while one does. */
  #noneSince: number | undefined;

  constructor(options: WorkersOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.count }, (_, index) => ({
      name: String(index + 1),
      turn: Promise.resolve(),
      failures: 0,
      faults: 0,
    }));
    this.#replaced = replacements(
      options.registry,
      this.#slots.map(({ name }) => name),
    );
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
  }

  async start(): Promise<void> {
    cluster.setupPrimary({ execArgv: [...process.execArgv, ...HEAP] });
    this.#place = await makeMeetingPlace(this.#options.logger);
    await Promise.all(this.#slots.map((slot) => this.#fill(slot)));
  }

  async restart(): Promise<void> {
    for (const slot of this.#slots) {
      // One that is being replaced reads the settings anew as it starts, whenever that succeeds.
      if (slot.worker?.isDead()) continue;
      const turn = slot.turn.then(() => this.#renew(slot));
      // When the renewal fails the old worker goes on serving, and later turns still run.
      slot.turn = turn.catch(() => {});
      await turn;
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all([...this.#running].map(stopWorker));
    await this.#place?.remove();
  }

  async collect(): Promise<string> {
    return collectCounts(
      this.#slots.flatMap((slot) => slot.worker ?? []),
      await this.#replaced.counts(),
    );
  }

  /** Starts a worker in the slot, beside the present one. */
  async #fill(slot: Slot): Promise<void> {
    const { databaseUrl, masterKey, logger } = this.#options;
    const began = performance.now();
    const worker = cluster.fork();
    passOnWithWorker(worker, () => this.#slots.some((one) => one.worker !== worker && one.worker?.isConnected()));
    this.#running.add(worker);
    worker.once('exit', () => this.#running.delete(worker));
    let because: 'died' | 'stood-still' = 'died';
    watchProcess(worker.process, () => {
      because = 'stood-still';
      logger.error({ worker: slot.name }, 'the event loop of a worker stands still: it is killed');
    });
    const place = this.#place && { siblings: this.#place.folder };
    const workerOptions = { databaseUrl, masterKey: masterKey.toString('base64'), worker: slot.name, ...place };
    await awaitServing(worker, () => (this.#stopping ? { type: 'stop' } : { type: 'serve', ...workerOptions }));
    worker.on('message', (message: ToPrimary) => {
      if (message.type !== 'spent') return;
      for (const other of this.#running) if (other !== worker) tellWorker(other, message);
    });
    slot.worker = worker;
    // It has started: what kept the database from answering is over.
    slot.failures = slot.faults;
    this.#noneSince = undefined;
    const grown = setTimeout(() => Object.assign(slot, { failures: 0, faults: 0 }), EARLY).unref();
    worker.once('exit', (code, signal) => {
      clearTimeout(grown);
      if (this.#stopping || slot.worker !== worker) return;
      logger.error({ worker: slot.name, code, signal }, 'a worker has died and is replaced');
      this.#replaced.count(slot.name, because);
      if (performance.now() - began < EARLY) countFailure(slot);
      slot.turn = slot.turn.then(() => this.#replace(slot, worker));
    });
  }

  async #replace(slot: Slot, dead: Worker): Promise<void> {
    let last = '';
    while (!this.#stopping && slot.worker === dead) {
      const why = this.#whyGiveUp();
      if (why !== undefined) return this.#fail(new Error(`${why}${last}`));
      if (slot.failures > 0) await pause(pauseAfter(slot.failures));
      if (this.#stopping) return;
      await this.#fill(slot).catch((error: Error) => {
        this.#options.logger.error({ err: error }, 'a worker did not start');
        countFailure(slot, error);
        last = ` The last one did not start: ${error.message}`;
      });
    }
  }

  /** Why the primary ends; undefined while it goes on. */
  #whyGiveUp(): string | undefined {
    if (this.#slots.some(({ worker }) => worker?.isConnected() && !worker.isDead())) this.#noneSince = undefined;
    else this.#noneSince ??= performance.now();
    if (this.#noneSince === undefined) return undefined;
    if (this.#slots.every(({ faults }) => faults >= MOST_FAULTS)) return 'Workers die as soon as they start.';
    return performance.now() - this.#noneSince > LONGEST_ABSENCE ? 'No worker has served for ten minutes.' : undefined;
  }

  async #renew(slot: Slot): Promise<void> {
    if (this.#stopping) return;
    const before = slot.worker;
    await this.#fill(slot);
    if (before) await stopWorker(before);
  }
}

/**
 * How V8 keeps the heap of a worker: its old objects are collected again once they have doubled since the last time, where V8 waits for
 * several times as much. In the benchmark's load the largest process then holds 249 MiB in place of 294, for no more processor time; 50
 * percent hold 222, for 5 to 23 percent more.
 */
const HEAP = ['--max-semi-space-size=32', '--heap-growing-percent=100'];

/** Milliseconds before the next try, after that many failures in a row. */
function pauseAfter(failures: number): number {
  return Math.min(RESPITE.min * 2 ** Math.max(0, failures - RESPITE.after), RESPITE.max);
}

/** @param error why it did not start; an early death has none */
function countFailure(slot: Slot, error?: Error): void {
  slot.failures += 1;
  if (!(error instanceof DatabaseUnavailable)) slot.faults += 1;
}

/** A worker did not start since its database does not answer: it is tried again until the database does. */
class DatabaseUnavailable extends Error {}

/** A place on the socket, and the queue of operations on it: one at a time. */
interface Slot {
  readonly name: string;
  worker?: Worker;
  turn: Promise<void>;
  /** Early deaths and starts that failed, in a row: until a worker has served for `EARLY`. */
  failures: number;
  /** Of these, those that the state of the database does not explain. */
  faults: number;
}

/** Lets a worker finish, and kills it when that takes too long. */
async function stopWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const gone = new Promise((resolve) => worker.once('exit', resolve));
  tellWorker(worker, { type: 'stop' });
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), STOP_TIMEOUT);
  await gone;
  clearTimeout(timer);
}

/** Sends the worker its first message once it listens, and resolves when it serves. */
function awaitServing(worker: Worker, order: () => ToWorker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: ToPrimary) => {
      if (message.type === 'ready') tellWorker(worker, order());
      if (message.type === 'serving') resolve();
      if (message.type === 'failed')
        reject(new (message.isDatabaseUnavailable ? DatabaseUnavailable : Error)(message.why));
    });
    worker.once('exit', (code) => reject(new Error(`A worker ended with ${code} before it served.`)));
  });
}

function tellWorker(worker: Worker, message: ToWorker): void {
  // One that has just died, which this process has not heard of yet, is not reached: without the callback that ends this process.
  if (worker.isConnected()) worker.send(message, () => {});
}
