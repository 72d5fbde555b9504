import { Overloaded } from '../base/gather.js';
import { LruCache } from '../base/lru-cache.js';
import { limits } from '../limits.js';
import type { LeakyBucket, Turns } from './account.js';
import { LedgerTask } from './task.js';

/**
 * Shares one event loop among ledgers, slice by slice (fair queueing). A ledger that has used little lately goes
 * straight through. A ledger beyond its share waits, and so does every ledger once a turn of the loop is full; of the
 * waiting ledgers, the one that has used least goes next. Each turn of the loop grants at least one slice while a
 * ledger waits, and the loop handles other events between two turns.
 */
export class Scheduler implements Turns {
  readonly #clock: () => number;
  readonly #accounts = new LruCache<number, LeakyBucket>(limits.work.accounts);
  readonly #senders = new LruCache<string, LeakyBucket>(limits.work.accounts);
  readonly #waiting = new Set<LeakyBucket>();
  #waiters = 0;
  /** Steps taken in this turn of the loop. */
  #inTurn = 0;
  #ticking = false;

  /** @param clock milliseconds since any moment, for measuring */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** The number of waiting callers. */
  get waiting(): number {
    return this.#waiters;
  }

  /**
   * A task of a ledger.
   *
   * @param ledger its id; 0 for work outside every ledger
   * @param isOver whether the client has gone or its time is over
   */
  task(ledger: number, isOver: () => boolean): LedgerTask {
    return new LedgerTask(this, this.#accounts.getOrSet(ledger, this.#open), isOver);
  }

  /** A task whose steps are charged to who sent a request, whichever ledger it names. */
  senderTask(sender: string, isOver: () => boolean): LedgerTask {
    return new LedgerTask(this, this.#senders.getOrSet(sender, this.#open), isOver);
  }

  readonly #open = (): LeakyBucket => ({ used: 0, since: this.#clock(), waiting: [] });

  charge(account: LeakyBucket, steps: number): void {
    account.used += steps;
    this.#inTurn += steps;
    if (!this.#ticking) this.#tick();
  }

  turn(account: LeakyBucket): Promise<void> | undefined {
    if (this.#inTurn < limits.work.turn && account.waiting.length === 0 && this.#isLight(account)) return undefined;
    if (this.#waiters >= limits.queue) throw new Overloaded();
    return new Promise((resolve) => {
      account.waiting.push(resolve);
      this.#waiting.add(account);
      this.#waiters += 1;
      if (!this.#ticking) this.#tick();
    });
  }

  #isLight(account: LeakyBucket): boolean {
    if (account.used <= limits.work.burst) return true;
    this.#leak(account, this.#clock());
    return account.used <= limits.work.burst;
  }

  #leak(account: LeakyBucket, now: number): void {
    account.used = Math.max(0, account.used - (now - account.since) * limits.work.share * limits.work.perMillisecond);
    account.since = now;
  }

  #tick(): void {
    this.#ticking = true;
    setImmediate(() => {
      this.#ticking = false;
      this.#inTurn = 0;
      if (this.#waiters > 0) void this.#grant();
    });
  }

  /** Grants slices until this turn of the loop is full. */
  async #grant(): Promise<void> {
    const began = this.#clock();
    const late = began + limits.work.turn / limits.work.perMillisecond;
    for (let now = began; this.#waiters > 0 && this.#inTurn < limits.work.turn && now < late; ) {
      const account = this.#next(now);
      const before = account.used;
      account.waiting.shift()?.();
      this.#waiters -= 1;
      if (account.waiting.length === 0) this.#waiting.delete(account);
      await drainMicrotasks();
      const ended = this.#clock();
      // Work that was charged too little is charged by the time it took.
      account.used = Math.max(account.used, before + (ended - now) * limits.work.perMillisecond);
      now = ended;
    }
    if (this.#waiters > 0 && !this.#ticking) this.#tick();
  }

  /** Of the waiting accounts, the one that has used least. */
  #next(now: number): LeakyBucket {
    let least: LeakyBucket | undefined;
    for (const account of this.#waiting) {
      this.#leak(account, now);
      if (!least || account.used < least.used) least = account;
    }
    return least!;
  }
}

/** Resolves when the microtask queue is empty: the granted slice has then run as far as it can before I/O. */
async function drainMicrotasks(): Promise<void> {
  await undefined;
  await new Promise<void>((resolve) => process.nextTick(resolve));
}
