import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import type { BackgroundMetrics } from '../metrics.js';
import { type Listener, listenToChannel } from '../store/listener.js';
import { createLeases } from '../store/queries/leases.js';
import { backgroundLimits } from './background-limits.js';
import { createFailures } from './failures.js';
import { createHeartbeat } from './heartbeat.js';
import { createHints } from './hints.js';
import { type Loop, startLoop } from './loop.js';
import type { BackgroundWorker } from './worker.js';
import type { BackgroundBounds, WorkerDeps } from './worker-deps.js';

/** The background work of one process. Every process of the deployment has the same workers. */
export interface Background {
  /**
   * Wakes the worker, which may have something to do: here at once, and in the other processes by `NOTIFY`. A hint may
   * be lost; the worker then looks at its next interval. Hints are gathered, so callers may send many.
   */
  hint(name: string): void;
  /** Whether it runs any. */
  isBusy(): boolean;
  /** Has it claim no units, or go on: while an operator drains the process. */
  turned(isDraining: boolean): void;
  /** Stops claiming units, and finishes or aborts running ones (`Loop.stop`). Idempotent. */
  stop(): Promise<void>;
}

export interface BackgroundOptions {
  readonly workers: readonly BackgroundWorker[];
  /** Reserved for leases, so that they are renewed however busy the other pools are. */
  readonly pool: pg.Pool;
  /** How to connect for hints; when absent, workers look at their intervals only. */
  readonly database?: pg.ClientConfig;
  /** Verifies the connection for hints before it is used. */
  readonly onConnect?: (client: pg.ClientBase) => Promise<void>;
  /** Unique name of this process in the table of leases. */
  readonly holder: string;
  readonly metrics: BackgroundMetrics;
  readonly logger: FastifyBaseLogger;
  /** Milliseconds since 1970, which lists of due units compare with. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number;
  /** From 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  readonly bounds?: BackgroundBounds;
}

/** The channel of hints; the payload is the name of a worker. */
const CHANNEL = 'countersign_background';

/** Starts the workers of this process. */
export function startBackground(options: BackgroundOptions): Background {
  const { workers, pool, holder, metrics, logger, clock, random, bounds = backgroundLimits } = options;
  const leases = createLeases(pool, holder, options.now);
  const failed = createFailures(logger, metrics, clock);
  const heartbeat = createHeartbeat({
    leases,
    bounds,
    clock,
    failed: (err) => failed({ step: 'renew', err }),
  });
  let isPaused = false;
  const shared: WorkerDeps = {
    leases,
    heartbeat,
    metrics,
    failed,
    bounds,
    clock,
    random,
    inTurn: createMutex(),
    isPaused: () => isPaused,
  };
  const loops = new Map<string, Loop>();
  for (const worker of workers) {
    if (loops.has(worker.name)) throw new Error(`Two background workers are named ${worker.name}.`);
    loops.set(worker.name, startLoop(shared, worker));
  }
  const hints = createHints(bounds.hint, (name) => {
    pool
      .query({ text: 'select pg_notify($1, $2)', values: [CHANNEL, name] })
      .catch((err: unknown) => failed({ name, step: 'hint', err }));
  });
  const tell = (name: string) => {
    workers.find((worker) => worker.name === name)?.hinted?.();
    loops.get(name)?.wake();
  };
  const listener = hearHints(options, bounds, loops, tell);
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    hints.stop();
    await Promise.all([listener?.close(), ...[...loops.values()].map((loop) => loop.stop())]);
    heartbeat.stop();
  };
  return {
    hint(name) {
      if (stopping) return;
      tell(name);
      hints.send(name);
    },
    isBusy: () => [...loops.values()].some((loop) => loop.isBusy()),
    turned(isDraining) {
      isPaused = isDraining;
      if (!isDraining) for (const loop of loops.values()) loop.wake();
    },
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** Wakes workers at the hints of other processes, and all of them when hints may have been missed. */
function hearHints(
  { database, onConnect, metrics, logger, random }: BackgroundOptions,
  { reconnect }: BackgroundBounds,
  loops: ReadonlyMap<string, Loop>,
  tell: (name: string) => void,
): Listener | undefined {
  metrics.listening(false);
  if (!database) return undefined;
  return listenToChannel({
    database,
    channel: CHANNEL,
    onConnect,
    heard: tell,
    listening(is) {
      metrics.listening(is);
      if (is) for (const loop of loops.values()) loop.wake();
    },
    failed: (err) => logger.warn({ err }, 'hints for background work are not heard'),
    reconnect,
    random,
  });
}

/** A mutex: runs the given looks one at a time, in order. */
function createMutex(): WorkerDeps['inTurn'] {
  let last: Promise<unknown> = Promise.resolve();
  return (look) => {
    const mine = last.then(look);
    last = mine.catch(() => {});
    return mine;
  };
}
