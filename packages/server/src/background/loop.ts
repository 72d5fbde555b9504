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
  const loop = new WorkerLoop(shared, worker);
  loop.lookWithin(shared.bounds.jitter * shared.random());
  return loop;
}

class WorkerLoop implements Loop {
  readonly #shared: Shared;
  readonly #worker: BackgroundWorker;
  readonly #runs = new Set<Run>();
  #stopped = false;
  #looking: Promise<void> | undefined;
  /** A look is wanted as soon as there can be one. */
  #wanted = false;
  /** Looks in a row that failed. */
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #nextAt = Number.POSITIVE_INFINITY;
  #earliest = Number.NEGATIVE_INFINITY;

  constructor(shared: Shared, worker: BackgroundWorker) {
    this.#shared = shared;
    this.#worker = worker;
  }

  wake(): void {
    this.#wanted = true;
    // A look that is under way may have missed what this is about; with all lanes taken the next free one looks.
    if (!this.#looking && this.#runs.size < this.#worker.lanes) this.lookWithin(0);
  }

  async stop(): Promise<void> {
    const { bounds } = this.#shared;
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
    const ended = Promise.all([...this.#runs].map((run) => run.ended));
    if (await within(ended, bounds.drain)) return;
    for (const run of this.#runs) run.abort(new Stopping());
    await within(ended, bounds.grace);
  }

  /** Looks in so many milliseconds, unless it looks before that anyway. */
  lookWithin(milliseconds: number): void {
    const { clock } = this.#shared;
    const at = Math.max(clock() + milliseconds, this.#earliest);
    if (this.#stopped || at >= this.#nextAt) return;
    clearTimeout(this.#timer);
    this.#nextAt = at;
    this.#timer = setTimeout(() => {
      this.#nextAt = Number.POSITIVE_INFINITY;
      this.#wanted = true;
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
    }, at - clock());
  }

  async #look(): Promise<void> {
    const { bounds, clock, failed, random } = this.#shared;
    const worker = this.#worker;
    const count = worker.lanes - this.#runs.size;
    let delay = spread(worker.every, random());
    if (count > 0) {
      // What is wanted from here on is wanted of the next look.
      this.#wanted = false;
      this.#earliest = clock() + bounds.pause;
      try {
        delay = await this.#claim(count);
        this.#failures = 0;
      } catch (error) {
        this.#failures += 1;
        // No longer than it takes others to notice that a process died: what is due waits for this.
        delay = Math.min(backOff(bounds.retry, this.#failures, random()), bounds.lease);
        const { name } = worker;
        failed({ name, step: 'claim', failures: this.#failures, retryIn: Math.round(delay), err: error });
      }
    }
    this.lookWithin(this.#wanted && this.#runs.size < worker.lanes ? 0 : delay);
  }

  /** Claims what the free lanes have room for. @returns milliseconds until the next look */
  async #claim(count: number): Promise<number> {
    const { leases, metrics, bounds, clock, random, inTurn } = this.#shared;
    const { name, due, each, every } = this.#worker;
    let since = clock();
    const found = await inTurn(async (): Promise<Found> => {
      // The turn may have come late, and a stop waits for it.
      if (this.#stopped) return NOTHING;
      since = clock();
      const running = [...this.#runs].map(({ unit }) => unit);
      return leases.claim({ worker: name, due, lease: bounds.lease, count, each, running });
    });
    const { claimed, lag, wait = every } = found;
    metrics.lag(name, lag);
    for (const unit of claimed) this.#start(unit, since);
    if (claimed.length === count) this.#wanted = true;
    return Math.min(spread(every, random()), wait + bounds.jitter * random());
  }

  #start(unit: Run['unit'], since: number): void {
    const { bounds, random } = this.#shared;
    const run = startRun(this.#shared, this.#worker, unit, since);
    this.#runs.add(run);
    void run.ended.then(({ outcome, rest }) => {
      this.#runs.delete(run);
      if (this.#wanted || (outcome === 'done' && rest === 0)) this.wake();
      else this.lookWithin(rest + bounds.jitter * random());
    });
  }
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
