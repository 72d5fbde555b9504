import { Overloaded } from '../base/gather.js';
import { LruCache } from '../base/lru-cache.js';
import type { LeakyBucket, Payer, Turns } from './account.js';
import { LedgerTask } from './task.js';
import { workLimits } from './work-limits.js';

/** The slice under way: from its turn to the next one, or until it waits for something else. */
interface Slice {
  readonly payer: Payer;
  readonly since: number;
  /** What the payer had been charged before. */
  readonly charged: number;
  /** Whether it has waited for its turn: nothing of it is free. */
  readonly hasWaited: boolean;
}

/**
 * Shares one event loop among ledgers, slice by slice (fair queueing). A ledger that has used little lately goes
 * straight through. A ledger beyond its share waits, and so does every ledger once a turn of the loop is full; of the
 * waiting ledgers, the one that has used least goes next. Each turn of the loop grants at least one slice while a
 * ledger waits, and the loop handles other events between two turns.
 *
 * A slice is charged by the time that it takes, where that is more than its steps. What an account uses in one turn of the loop without
 * waiting is free up to `workLimits.free`, but fills the turn.
 */
export class Scheduler implements Turns {
  readonly #clock: () => number;
  readonly #accounts = new LruCache<number, LeakyBucket>(workLimits.accounts);
  readonly #senders = new LruCache<string, LeakyBucket>(2 * workLimits.accounts);
  /** The account of all senders. */
  readonly #strangers: LeakyBucket;
  readonly #waiting = new Set<LeakyBucket>();
  #slice: Slice | undefined;
  #waiters = 0;
  /** Steps taken in this turn of the loop, and those of accounts that have not waited. */
  #inTurn = 0;
  readonly #unwaited = new Map<LeakyBucket, number>();
  #isEnding = false;
  #ticking = false;

  /** @param clock milliseconds since any moment, for measuring */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
    this.#strangers = this.#open();
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
    return new LedgerTask(this, this.#accounts.getOrSet(ledger, this.#openLedger), isOver);
  }

  /**
   * A task whose steps are charged to who sent a request until its caller is known to be allowed, then to the ledger. All senders
   * together are one account among ledgers: many addresses have no more turns than one. Those of a sender are shared by the
   * ledgers that it names: behind a proxy each is a tenant's.
   *
   * @param granted called when the caller is known to be allowed; what it throws refuses the request
   */
  senderTask(sender: string, ledger: number, isOver: () => boolean, granted: () => void = () => {}): LedgerTask {
    const all = this.#senders.getOrSet(sender, () => this.#open(this.#strangers));
    const own = this.#senders.getOrSet(`${ledger} ${sender}`, () => this.#open(all));
    return new LedgerTask(this, own, isOver, { to: this.#accounts.getOrSet(ledger, this.#openLedger), granted });
  }

  #open(within?: LeakyBucket): LeakyBucket {
    return { used: 0, since: this.#clock(), waiting: [], ...(within ? { within } : {}) };
  }

  readonly #openLedger = (): LeakyBucket => this.#open();

  charge(account: LeakyBucket, steps: number): void {
    bill(account, steps);
    this.#inTurn += steps;
    if (!this.#ticking) this.#tick();
  }

  move(steps: number, from: LeakyBucket, to: LeakyBucket): void {
    for (const one of upFrom(from)) one.used = Math.max(0, one.used - steps);
    bill(to, steps);
  }

  turn(payer: Payer, steps = 0): Promise<void> | undefined {
    const { account } = payer;
    const now = this.#clock();
    this.#endSlice(now);
    if (!this.#ticking) this.#tick();
    if (this.#inTurn < workLimits.turn && account.waiting.length === 0 && this.#isLight(account)) {
      this.#slice = { payer, since: now, charged: payer.charged - steps, hasWaited: false };
      if (!this.#isEnding) {
        this.#isEnding = true;
        queueMicrotask(this.#endLater);
      }
      return undefined;
    }
    if (this.#waiters >= workLimits.waiting) throw new Overloaded();
    return new Promise((resolve) => {
      account.waiting.push(() => {
        this.#slice = { payer, since: this.#clock(), charged: payer.charged - steps, hasWaited: true };
        resolve();
      });
      this.#waiting.add(account);
      this.#waiters += 1;
    });
  }

  /** Once it waits for something else, others work: the slice ends when no microtask is left. */
  readonly #endLater = () => process.nextTick(this.#endNow);
  readonly #endNow = () => {
    this.#isEnding = false;
    this.#endSlice(this.#clock());
  };

  #endSlice(now: number): void {
    if (!this.#slice) return;
    const { payer, since, charged, hasWaited } = this.#slice;
    this.#slice = undefined;
    const uncharged = (now - since) * workLimits.perMillisecond - (payer.charged - charged);
    if (uncharged <= 0) return;
    this.#inTurn += uncharged;
    const due = hasWaited ? uncharged : this.#dueOf(payer.account, uncharged);
    payer.charged += due;
    bill(payer.account, due);
  }

  /** What an account is charged for steps that it has not waited for. */
  #dueOf(account: LeakyBucket, steps: number): number {
    const before = this.#unwaited.get(account) ?? 0;
    const after = before + steps;
    this.#unwaited.set(account, after);
    if (after <= workLimits.free) return 0;
    return before <= workLimits.free ? after : steps;
  }

  #isLight(account: LeakyBucket): boolean {
    return upFrom(account).every((one) => this.#isBelowBurst(one));
  }

  #isBelowBurst(account: LeakyBucket): boolean {
    if (account.used <= workLimits.burst) return true;
    this.#leak(account, this.#clock());
    return account.used <= workLimits.burst;
  }

  #leak(account: LeakyBucket, now: number): void {
    account.used = Math.max(0, account.used - (now - account.since) * workLimits.share * workLimits.perMillisecond);
    account.since = now;
  }

  #tick(): void {
    this.#ticking = true;
    setImmediate(() => {
      this.#endSlice(this.#clock());
      this.#ticking = false;
      this.#inTurn = 0;
      this.#unwaited.clear();
      if (this.#waiters > 0) void this.#grant();
    });
  }

  /** Grants slices until this turn of the loop is full. */
  async #grant(): Promise<void> {
    const began = this.#clock();
    const late = began + workLimits.turn / workLimits.perMillisecond;
    for (let now = began; this.#waiters > 0 && this.#inTurn < workLimits.turn && now < late; ) {
      const account = this.#next(now);
      account.waiting.shift()?.();
      this.#waiters -= 1;
      if (account.waiting.length === 0) this.#waiting.delete(account);
      await drainMicrotasks();
      now = this.#clock();
      this.#endSlice(now);
    }
    if (this.#waiters > 0 && !this.#ticking) this.#tick();
  }

  /** Of the waiting accounts, the one that has used least; of those within another, by what that has used. */
  #next(now: number): LeakyBucket {
    let least: LeakyBucket | undefined;
    for (const account of this.#waiting) {
      for (const one of upFrom(account)) this.#leak(one, now);
      const [one, other] = least ? apart(account, least) : [];
      if (!one || !other || one.used < other.used) least = account;
    }
    // What many share, as all senders and a proxy do, must not be behind all others for long by what one did.
    for (const account of this.#waiting) {
      if (!account.within || account === least) continue;
      const [one, other] = apart(account, least!);
      one.used = Math.min(one.used, other.used + workLimits.behind);
    }
    return least!;
  }
}

/** Charges the account, and those that it is within. */
function bill(account: LeakyBucket, steps: number): void {
  for (const one of upFrom(account)) one.used += steps;
}

/** The account, and those that it is within, from the inmost on. */
function upFrom(account: LeakyBucket): LeakyBucket[] {
  const found = [account];
  for (let one = account.within; one; one = one.within) found.push(one);
  return found;
}

/** Where two accounts differ, from the outmost on: they, or what they are within. */
function apart(one: LeakyBucket, other: LeakyBucket): readonly [LeakyBucket, LeakyBucket] {
  const [mine, its] = [upFrom(one).reverse(), upFrom(other).reverse()];
  const depth = mine.findIndex((account, at) => account !== its[at] && its[at] !== undefined);
  return depth < 0 ? [one, other] : [mine[depth]!, its[depth]!];
}

/** Resolves when the microtask queue is empty: the granted slice has then run as far as it can before I/O. */
async function drainMicrotasks(): Promise<void> {
  await undefined;
  await new Promise<void>((resolve) => process.nextTick(resolve));
}
