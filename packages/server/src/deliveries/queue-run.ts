import { setMaxListeners } from 'node:events';
import { Bell } from '../base/bell.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { DeliveryQueue, DueDelivery, Started } from '../store/outbox/deliveries.js';
import { furtherLimits } from '../store/outbox/outbox-limits.js';
import { attemptDelivery, openBatch } from './attempt.js';
import type { DeliveryDeps } from './engine.js';

const NONE_STARTED: Started = { deliveries: [], hasResting: false };

/** A run of a queue: it holds the lease, so no other process attempts the same deliveries. */
export class QueueRun {
  readonly #engine: DeliveryDeps;
  readonly #ledger: Ledger;
  readonly #queue: DeliveryQueue;
  readonly #signal: AbortSignal;
  /** Attempts under way, by handle of the delivery. */
  readonly #running = new Map<string, Promise<void>>();
  /** Of these, the ones that the receiver has taken, whose outcome is being stored: further calls need not wait for that. */
  readonly #taken = new Set<string>();
  /** Deliveries that this run has no room for: the next run attempts them. */
  readonly #postponed = new Set<string>();
  readonly #bell = new Bell();
  /** Attempts that may overlap: one more with each success, half with each failure, so that a dead receiver takes one slot. */
  #width: number;
  /** When it last looked, in milliseconds of a monotonic clock. */
  #looked = 0;
  /** Whether the last look found nothing more. */
  #foundNothing = false;
  /** When an attempt last began or ended, by that clock. */
  #moved = 0;
  /** A hint has come since the last look began. */
  #isHinted = false;
  /** No further attempt is begun. */
  #isFinishing = false;
  #failure: { readonly error: unknown } | undefined;

  /** @param signal aborted when the lease is lost or the process stops: attempts are given up, and made again later */
  constructor(engine: DeliveryDeps, ledger: Ledger, queue: DeliveryQueue, signal: AbortSignal) {
    this.#engine = engine;
    this.#width = engine.bounds.width.first;
    this.#ledger = ledger;
    this.#queue = queue;
    this.#signal = signal;
  }

  /** Says that the queue may have something new. */
  hint(): void {
    this.#isHinted = true;
    this.#bell.ring();
  }

  /** Ends the run when the attempts under way have ended. */
  finish(): void {
    this.#isFinishing = true;
    this.#bell.ring();
  }

  /**
   * Delivers what is due, until the queue is empty or the run has had its time.
   *
   * @throws what reading deliveries and storing outcomes throws
   */
  async run(): Promise<void> {
    const { run, linger } = this.#engine.bounds;
    const until = performance.now() + run;
    const abort = () => this.#bell.ring();
    // Each attempt listens too, and there may be many.
    setMaxListeners(0, this.#signal);
    this.#signal.addEventListener('abort', abort, { once: true });
    try {
      // It looks at least once, whatever time it has.
      let left: 'more' | 'waiting' | 'nothing' = 'more';
      for (let isOver = false; !isOver && this.#mayGoOn(); isOver = performance.now() >= until) {
        if (left !== 'nothing') left = await this.#fill();
        if (left === 'more') continue;
        const isIdle = this.#running.size === 0;
        const rang = await this.#bell.wait(linger);
        if (isIdle && !rang && left === 'nothing') break;
        if (this.#mayHaveMore()) left = 'waiting';
      }
    } finally {
      this.#signal.removeEventListener('abort', abort);
      await Promise.all(this.#running.values());
    }
    if (this.#failure) throw this.#failure.error;
  }

  #mayGoOn(): boolean {
    if (this.#isFinishing || this.#signal.aborted || this.#failure) return false;
    return this.#postponed.size < this.#engine.bounds.width.greatest;
  }

  /**
   * Whether to look again. A hint does not say whose queue has more, and there may be a thousand runs whose receivers hang:
   * these look every `linger` milliseconds at most. A run whose attempts go on looks at each hint, since the look at an
   * earlier hint of the same change may have come too soon.
   */
  #mayHaveMore(): boolean {
    const { linger, every } = this.#engine.bounds;
    const passed = performance.now() - this.#looked;
    // Hints may be lost, and none tells of a retry that falls due while an attempt hangs.
    if (passed >= every) return true;
    if (!this.#isHinted) return false;
    return !this.#hangs() || passed >= linger;
  }

  /** Whether nothing more was due at the last look, and no attempt has begun or ended for a while. */
  #hangs(): boolean {
    return this.#waits() && performance.now() - this.#moved >= this.#engine.bounds.hangs;
  }

  /** Whether nothing more was due at the last look, while attempts are under way: such runs ask together whether there is more. */
  #waits(): boolean {
    return this.#foundNothing && this.#running.size > 0;
  }

  /**
   * Starts what is due, as much as there is room for.
   *
   * @returns whether more is due: to be started at once, or when there is room
   */
  async #fill(): Promise<'more' | 'waiting' | 'nothing'> {
    const { slots } = this.#engine;
    const { id } = this.#ledger;
    const wanted = Math.min(
      this.#width - (this.#running.size - this.#taken.size),
      2 * this.#engine.bounds.width.greatest - this.#running.size,
    );
    const free = slots.take(id, wanted);
    if (free === 0) {
      if (wanted > 0) slots.onRelease(this.#bell);
      return 'waiting';
    }
    let found = NONE_STARTED;
    this.#isHinted = false;
    this.#looked = performance.now();
    try {
      const running = [...this.#running.keys(), ...this.#postponed];
      const mayStart = !this.#waits() || (await this.#engine.hasDue({ ...this.#queue, running }));
      const due = mayStart ? await this.#start(free, running) : NONE_STARTED;
      this.#foundNothing = due.deliveries.length === 0 && !due.hasResting;
      if (due.deliveries.length > 0) await this.#attempt(due.deliveries);
      found = due;
    } finally {
      // Each attempt gives its own back.
      slots.release(id, free - found.deliveries.length);
    }
    if (found.hasResting) return (await this.#setAside()) ? 'more' : 'waiting';
    return found.deliveries.length === free ? 'more' : 'nothing';
  }

  /** Begins attempts of deliveries that are marked as running. */
  async #attempt(due: readonly DueDelivery[]): Promise<void> {
    const batch = await openBatch(this.#engine, this.#ledger, due);
    this.#moved = performance.now();
    for (const delivery of due) {
      const delivered = () => this.#take(delivery.handle);
      const done = attemptDelivery(this.#engine, batch, delivery, this.#signal, delivered).then(
        (ended) => {
          if (ended === 'later') this.#postponed.add(delivery.handle);
          this.#end(delivery.handle, ended);
        },
        (error: unknown) => {
          this.#failure ??= { error };
          this.#end(delivery.handle, 'failed');
        },
      );
      this.#running.set(delivery.handle, done);
    }
  }

  async #start(free: number, running: readonly string[]): Promise<Started> {
    const { store, service, bounds } = this.#engine;
    const { rests } = furtherLimits;
    const now = new Date(service.runtime.now());
    return store.start(this.#queue, now, free, running, bounds.retryFor === 0 ? undefined : rests);
  }

  /**
   * Sets a piece of what is due aside: events of effects that rest. One queue of a ledger does so at a time, so that a ledger with many
   * occupies one connection.
   *
   * @returns whether it was this one's turn
   */
  async #setAside(): Promise<boolean> {
    const { store, service, setsAside } = this.#engine;
    const { id } = this.#ledger;
    if (setsAside.has(id)) return false;
    setsAside.add(id);
    try {
      const running = [...this.#running.keys(), ...this.#postponed];
      await store.setAside(this.#queue, new Date(service.runtime.now()), running);
    } finally {
      setsAside.delete(id);
    }
    return true;
  }

  #take(handle: string): void {
    this.#width = Math.min(this.#engine.bounds.width.greatest, this.#width + 1);
    this.#taken.add(handle);
    this.#moved = performance.now();
    this.#bell.ring();
  }

  #end(handle: string, ended: Awaited<ReturnType<typeof attemptDelivery>>): void {
    const isHeldUp = ended !== 'delivered' && ended !== 'unwanted' && ended !== 'expired';
    if (isHeldUp) this.#width = Math.max(1, this.#width >> 1);
    this.#taken.delete(handle);
    this.#running.delete(handle);
    this.#moved = performance.now();
    this.#engine.slots.release(this.#ledger.id);
    this.#bell.ring();
  }
}
