/**
 * Which single-use tokens were used (claim `jti`, contract 03 §4.2). Kept behind an interface because a memory that all
 * processes share can take the place of one per process.
 */
export interface Replays {
  /**
   * Marks `jti` as used in `ledger` until `expiresAt` (milliseconds). Of all calls with the same ledger and `jti` within
   * that time exactly one answers true. False as well when the use cannot be remembered.
   */
  use(ledger: string, jti: string, expiresAt: number): boolean | Promise<boolean>;
}

/** How many uses are remembered at once. */
export interface ReplayBounds {
  /** By one ledger, so that a busy one leaves room for the others. */
  readonly ledger: number;
  /** By all ledgers together. */
  readonly total: number;
}

/** Milliseconds between two passes over what is remembered: rare enough to cost nothing, and no timer to stop. */
const SWEEP_INTERVAL = 10_000;

/**
 * The used tokens one process has seen. When full it refuses new ones rather than forget a used one: a token that is not
 * accepted can be made again, a replay cannot be undone.
 */
export class MemoryReplays implements Replays {
  readonly #clock: () => number;
  readonly #bounds: ReplayBounds;
  /** Per ledger, the moment until which each `jti` is remembered. */
  readonly #ledgers = new Map<string, Map<string, number>>();
  #total = 0;
  #sweepAt = 0;

  /** `clock` tells milliseconds. */
  constructor(clock: () => number, bounds: ReplayBounds) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  use(ledger: string, jti: string, expiresAt: number): boolean {
    const now = this.#clock();
    if (now >= this.#sweepAt) this.#sweep(now);
    const used = this.#ledgers.get(ledger);
    const until = used?.get(jti);
    if (until === undefined) {
      if ((used?.size ?? 0) >= this.#bounds.ledger || this.#total >= this.#bounds.total) return false;
      this.#total += 1;
    } else if (until > now) {
      return false;
    }
    if (used === undefined) this.#ledgers.set(ledger, new Map([[jti, expiresAt]]));
    else used.set(jti, expiresAt);
    return true;
  }

  /** Forgets what has expired by `now`. */
  #sweep(now: number): void {
    this.#sweepAt = now + SWEEP_INTERVAL;
    for (const [ledger, used] of this.#ledgers) {
      for (const [jti, until] of used) {
        if (until <= now && used.delete(jti)) this.#total -= 1;
      }
      if (used.size === 0) this.#ledgers.delete(ledger);
    }
  }
}
