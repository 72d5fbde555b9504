import { setTimeout as pause } from 'node:timers/promises';
import { backOff, spread } from '../base/back-off.js';
import type { Found } from '../store/queries/leases.js';
import { type Run, Stopping, startRun } from './run.js';
import type { Shared } from './shared.js';
import type { BackgroundWorker } from './worker.js';

/** The loop of one worker in one process. */
export interface Loop {
  /** Looks for due units at once, or as soon as a lane is free. */
  wake(): void;
  /**
   * Takes no more units and lets those that run finish; after `bounds.drain` milliseconds it aborts them, and waits
   * `bounds.grace` more. What does not end by then keeps its lease, which nobody renews any more.
   */
  stop(): Promise<void>;
}

const NOTHING: Found = { claimed: [], lag: 0 };

/**
 * Looks for due units again and again: at least every `worker.every` milliseconds, with jitter; when a unit that somebody
 * holds or that rests may be free; at once after a look that found all it could take; and when it is told to. Looks are at
 * least `bounds.pause` milliseconds apart.
 */
export function startLoop(shared: Shared, worker: BackgroundWorker): Loop {
  const { leases, metrics, failed, bounds, clock, random, inTurn } = shared;
  const runs = new Set<Run>();
  let stopped = false;
  let looking: Promise<void> | undefined;
  /** A look is wanted as soon as there can be one. */
  let wanted = false;
  /** Looks in a row that failed. */
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let nextAt = Number.POSITIVE_INFINITY;
  let earliest = Number.NEGATIVE_INFINITY;

  /** Looks in so many milliseconds, unless it looks before that anyway. */
  const lookWithin = (milliseconds: number) => {
    const at = Math.max(clock() + milliseconds, earliest);
    if (stopped || at >= nextAt) return;
    clearTimeout(timer);
    nextAt = at;
    timer = setTimeout(() => {
      nextAt = Number.POSITIVE_INFINITY;
      wanted = true;
      looking ??= look().finally(() => {
        looking = undefined;
      });
    }, at - clock());
  };

  const wake = () => {
    wanted = true;
    // A look that is under way may have missed what this is about; with all lanes taken the next free one looks.
    if (!looking && runs.size < worker.lanes) lookWithin(0);
  };

  const start = (unit: Run['unit'], since: number) => {
    const run = startRun(shared, worker, unit, since);
    runs.add(run);
    void run.ended.then(({ outcome, rest }) => {
      runs.delete(run);
      if (wanted || (outcome === 'done' && rest === 0)) wake();
      else lookWithin(rest + bounds.jitter * random());
    });
  };

  /** Claims what the free lanes have room for. @returns milliseconds until the next look */
  const claim = async (count: number): Promise<number> => {
    let since = clock();
    const {
      claimed,
      lag,
      wait = worker.every,
    } = await inTurn(async (): Promise<Found> => {
      // The turn may have come late, and a stop waits for it.
      if (stopped) return NOTHING;
      since = clock();
      const running = [...runs].map(({ unit }) => unit);
      const { name, due, each } = worker;
      return leases.claim({ worker: name, due, lease: bounds.lease, count, each, running });
    });
    metrics.lag(worker.name, lag);
    for (const unit of claimed) start(unit, since);
    if (claimed.length === count) wanted = true;
    return Math.min(spread(worker.every, random()), wait + bounds.jitter * random());
  };

  const look = async () => {
    const count = worker.lanes - runs.size;
    let delay = spread(worker.every, random());
    if (count > 0) {
      // What is wanted from here on is wanted of the next look.
      wanted = false;
      earliest = clock() + bounds.pause;
      try {
        delay = await claim(count);
        failures = 0;
      } catch (error) {
        failures += 1;
        // No longer than it takes others to notice that a process died: what is due waits for this.
        delay = Math.min(backOff(bounds.retry, failures, random()), bounds.lease);
        failed({ name: worker.name, step: 'claim', failures, retryIn: Math.round(delay), err: error });
      }
    }
    lookWithin(wanted && runs.size < worker.lanes ? 0 : delay);
  };

  lookWithin(bounds.jitter * random());
  return {
    wake,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await looking;
      const ended = Promise.all([...runs].map((run) => run.ended));
      if (await within(ended, bounds.drain)) return;
      for (const run of runs) run.abort(new Stopping());
      await within(ended, bounds.grace);
    },
  };
}

/** Whether the promise is settled within so many milliseconds. */
async function within(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const controller = new AbortController();
  try {
    const late = pause(milliseconds, false, { signal: controller.signal }).catch(() => false);
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    controller.abort();
  }
}
