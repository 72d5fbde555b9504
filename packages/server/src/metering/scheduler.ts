import { Overloaded } from '../base/gather.js';
import { LruCache } from '../base/lru-cache.js';
import { limits } from '../limits.js';
import type { Account, Turns } from './account.js';
import { LedgerTask, type Task } from './task.js';

/**
 * Shares one event loop among ledgers, slice by slice. A ledger that has used little lately goes straight through. One that
 * has used more than its share waits, and so does everyone in a turn of the loop that is already full; of those who wait,
 * the ledger that has used least goes next. In each turn of the loop that has anyone waiting, one slice at least is
 * granted: nothing is idle while there is work, and between two turns the loop sees to everything else.
 */
export class Scheduler implements Turns {
  readonly #clock: () => number;
  readonly #accounts = new LruCache<number, Account>(limits.work.accounts);
  readonly #waiting = new Set<Account>();
  #waiters = 0;
  /** Steps that were taken in this turn of the loop. */
  #inTurn = 0;
  #ticking = false;

  /** @param clock milliseconds since any moment, for measuring */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiters;
  }

  /**
   * A task of a ledger.
   *
   * @param ledger its id; 0 for what is outside every ledger
   * @param isOver whether nobody waits for the answer any more
   */
  task(ledger: number, isOver: () => boolean): Task {
    const account = this.#accounts.take(ledger, () => ({ used: 0, since: this.#clock(), waiting: [] }));
    return new LedgerTask(this, account, isOver);
  }

  charge(account: Account, steps: number): void {
    account.used += steps;
    this.#inTurn += steps;
    if (!this.#ticking) this.#tick();
  }

  turn(account: Account): Promise<void> | undefined {
    if (this.#inTurn < limits.work.turn && account.waiting.length === 0 && this.#isLight(account)) return undefined;
    if (this.#waiters >= limits.queue) throw new Overloaded();
    return new Promise((resolve) => {
      account.waiting.push(resolve);
      this.#waiting.add(account);
      this.#waiters += 1;
      if (!this.#ticking) this.#tick();
    });
  }

  #isLight(account: Account): boolean {
    if (account.used <= limits.work.burst) return true;
    this.#leak(account, this.#clock());
    return account.used <= limits.work.burst;
  }

  #leak(account: Account, now: number): void {
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
      await drained();
      const ended = this.#clock();
      // What was not charged, or not enough, is charged by the time it took.
      account.used = Math.max(account.used, before + (ended - now) * limits.work.perMillisecond);
      now = ended;
    }
    if (this.#waiters > 0 && !this.#ticking) this.#tick();
  }

  /** Of the accounts that wait, the one that has used least. */
  #next(now: number): Account {
    let least: Account | undefined;
    for (const account of this.#waiting) {
      this.#leak(account, now);
      if (!least || account.used < least.used) least = account;
    }
    return least!;
  }
}

/** Resolves when what can go on without waiting for anything outside has gone on. */
async function drained(): Promise<void> {
  await undefined;
  await new Promise<void>((resolve) => process.nextTick(resolve));
}
