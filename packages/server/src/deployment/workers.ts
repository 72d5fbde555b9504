import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { collectCounts } from './counts.js';
import type { ToPrimary, ToWorker } from './messages.js';

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
export async function startWorkers({ count, databaseUrl, masterKey, logger }: WorkersOptions): Promise<Workers> {
  const slots: (Worker | undefined)[] = Array.from({ length: count });
  const leaving = new Set<Worker>();
  let stopping = false;
  let early = 0;
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<Error>((resolve) => {
    fail = resolve;
  });

  /** A worker for the slot, serving. */
  const start = async (slot: number): Promise<Worker> => {
    const began = performance.now();
    const worker = cluster.fork();
    const means = { databaseUrl, masterKey: masterKey.toString('base64'), worker: String(slot + 1) };
    await serving(worker, { type: 'serve', ...means });
    worker.on('message', (message: ToPrimary) => {
      if (message.type === 'collect') void answerCounts(worker, message.question);
    });
    worker.on('exit', (code, signal) => {
      if (stopping || leaving.has(worker)) return;
      logger.error({ worker: slot + 1, code, signal }, 'a worker has died and is replaced');
      early = performance.now() - began < EARLY ? early + 1 : 0;
      void replace(slot);
    });
    slots[slot] = worker;
    return worker;
  };

  const replace = async (slot: number): Promise<void> => {
    slots[slot] = undefined;
    for (; !stopping; early += 1) {
      if (early >= HOPELESS) return fail(new Error('Workers die as soon as they start.'));
      if (early > 0) await pause(RESPITE);
      const started = await start(slot).catch((error: Error) => logger.error({ err: error }, 'a worker did not start'));
      if (started) return;
    }
  };

  const answerCounts = async (worker: Worker, question: number) => {
    const text = await collectCounts(slots.filter((one) => one !== undefined));
    tell(worker, { type: 'counted', question, text });
  };

  const leave = async (worker: Worker): Promise<void> => {
    leaving.add(worker);
    if (worker.isDead()) return;
    const gone = new Promise((resolve) => worker.once('exit', resolve));
    tell(worker, { type: 'stop' });
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), PATIENCE);
    await gone;
    clearTimeout(timer);
  };

  await Promise.all(slots.map((_, slot) => start(slot)));
  let restarting: Promise<void> = Promise.resolve();
  return {
    failed,
    restart() {
      restarting = restarting.then(async () => {
        for (let slot = 0; slot < count && !stopping; slot += 1) {
          const before = slots[slot];
          await start(slot);
          if (before) await leave(before);
        }
      });
      return restarting;
    },
    async stop() {
      stopping = true;
      await Promise.all(slots.map((worker) => worker && leave(worker)));
    },
  };
}

/** Gives the worker its means when it listens, and resolves when it says that it serves. */
function serving(worker: Worker, means: ToWorker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: ToPrimary) => {
      if (message.type === 'ready') tell(worker, means);
      if (message.type === 'serving') resolve();
    });
    worker.once('exit', (code) => reject(new Error(`A worker ended with ${code} before it served.`)));
  });
}

function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}
