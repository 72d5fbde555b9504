import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { collectCounts } from './counts.js';
import type { ToPrimary, ToWorker } from './messages.js';
import { replacements } from './replacements.js';
import { watch } from './watchdog.js';

/** The processes that serve, as the primary looks after them. */
export interface Workers {
  /** Replaces each by a new one, one after the other: there are always as many serving. */
  restart(): Promise<void>;
  /** Lets each finish what it took. */
  stop(): Promise<void>;
  /** Resolves when workers die as soon as they start, again and again; never otherwise. */
  readonly failed: Promise<Error>;
}

export interface WorkersOptions {
  readonly count: number;
  readonly databaseUrl: string;
  readonly masterKey: Buffer;
  readonly logger: FastifyBaseLogger;
}

/** A worker that dies within this many milliseconds has not really started. */
const EARLY = 5_000;
/** Early deaths in a row after which there is no point in going on. */
const HOPELESS = 5;
/** Milliseconds between an early death and the next try. */
const RESPITE = 500;
/** Milliseconds a worker has to finish before it is ended. */
const PATIENCE = 30_000;

/**
 * Starts `count` workers on one shared socket, and resolves when all of them serve. One that dies is replaced.
 *
 * @throws when one cannot start
 */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const pool = new WorkerPool(options);
  try {
    await pool.start();
  } catch (error) {
    // The others would keep this process from ending.
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
  readonly #replaced = replacements();
  #fail: (error: Error) => void = () => {};
  #stopping = false;
  /** Workers in a row that died early. */
  #early = 0;

  constructor(options: WorkersOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.count }, (_, index) => ({
      name: String(index + 1),
      turn: Promise.resolve(),
    }));
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
  }

  /** Starts a worker in every slot. */
  async start(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => this.#fill(slot)));
  }

  async restart(): Promise<void> {
    for (const slot of this.#slots) {
      const turn = slot.turn.then(() => this.#renew(slot));
      // A worker that could not be renewed goes on serving: the next turn is not lost with this one.
      slot.turn = turn.catch(() => {});
      await turn;
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all([...this.#running].map(leave));
  }

  /** Starts a worker in the slot, beside the one that is there. */
  async #fill(slot: Slot): Promise<void> {
    const { databaseUrl, masterKey, logger } = this.#options;
    const began = performance.now();
    const worker = cluster.fork();
    this.#running.add(worker);
    worker.once('exit', () => this.#running.delete(worker));
    let because: 'died' | 'stood-still' = 'died';
    watch(worker, () => {
      because = 'stood-still';
      logger.error({ worker: slot.name }, 'the event loop of a worker stands still: it is killed');
    });
    const means = { databaseUrl, masterKey: masterKey.toString('base64'), worker: slot.name };
    await serving(worker, () => (this.#stopping ? { type: 'stop' } : { type: 'serve', ...means }));
    slot.worker = worker;
    worker.on('message', (message: ToPrimary) => {
      if (message.type === 'collect') void this.#answerCounts(worker, message.question);
    });
    worker.once('exit', (code, signal) => {
      if (this.#stopping || slot.worker !== worker) return;
      logger.error({ worker: slot.name, code, signal }, 'a worker has died and is replaced');
      this.#replaced.count(slot.name, because);
      this.#early = performance.now() - began < EARLY ? this.#early + 1 : 0;
      slot.turn = slot.turn.then(() => this.#replace(slot, worker));
    });
  }

  async #replace(slot: Slot, dead: Worker): Promise<void> {
    while (!this.#stopping && slot.worker === dead) {
      if (this.#early >= HOPELESS) return this.#fail(new Error('Workers die as soon as they start.'));
      if (this.#early > 0) await pause(RESPITE);
      await this.#fill(slot).catch((error: Error) => {
        this.#options.logger.error({ err: error }, 'a worker did not start');
        this.#early += 1;
      });
    }
  }

  async #renew(slot: Slot): Promise<void> {
    if (this.#stopping) return;
    const before = slot.worker;
    await this.#fill(slot);
    if (before) await leave(before);
  }

  async #answerCounts(worker: Worker, question: number): Promise<void> {
    const text = await collectCounts(
      this.#slots.flatMap((slot) => slot.worker ?? []),
      await this.#replaced.counts(),
    );
    tell(worker, { type: 'counted', question, text });
  }
}

/** One of the places on the socket, and what is being done about it: one thing at a time. */
interface Slot {
  readonly name: string;
  worker?: Worker;
  turn: Promise<void>;
}

/** Lets a worker finish, and ends it when that takes too long. */
async function leave(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const gone = new Promise((resolve) => worker.once('exit', resolve));
  tell(worker, { type: 'stop' });
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), PATIENCE);
  await gone;
  clearTimeout(timer);
}

/** Gives the worker its first order when it listens, and resolves when it says that it serves. */
function serving(worker: Worker, order: () => ToWorker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: ToPrimary) => {
      if (message.type === 'ready') tell(worker, order());
      if (message.type === 'serving') resolve();
      if (message.type === 'failed') reject(new Error(message.why));
    });
    worker.once('exit', (code) => reject(new Error(`A worker ended with ${code} before it served.`)));
  });
}

function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}
