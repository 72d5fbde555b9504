/** How many failures are too many, and how many are remembered. */
export interface FailureBounds {
  /** Failures after which a key has to wait. */
  readonly attempts: number;
  /** Milliseconds from its first failure to when they are forgotten. */
  readonly window: number;
  /** Keys remembered at once. */
  readonly remembered: number;
}

/**
 * Counts failed attempts by key, in one process. When it is full, the oldest key is forgotten. So an attacker who wants
 * one key forgotten has to fail with `remembered` others.
 */
export class FailureCounts {
  readonly #clock: () => number;
  readonly #bounds: FailureBounds;
  /** In the order in which the windows opened, which is that in which they end. */
  readonly #series = new Map<string, { count: number; readonly until: number }>();

  /** `clock` tells milliseconds. */
  constructor(clock: () => number, bounds: FailureBounds) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#series.size;
  }

  /** Milliseconds that `key` has to wait before its next attempt; 0 when it may try at once. */
  wait(key: string): number {
    const series = this.#series.get(key);
    return series && series.count >= this.#bounds.attempts ? Math.max(0, series.until - this.#clock()) : 0;
  }

  /** Counts a failed attempt of `key`. */
  add(key: string): void {
    const now = this.#clock();
    for (const [ended, { until }] of this.#series) {
      if (until > now) break;
      this.#series.delete(ended);
    }
    const series = this.#series.get(key);
    if (series) {
      series.count += 1;
      return;
    }
    if (this.#series.size >= this.#bounds.remembered) this.#series.delete(this.#series.keys().next().value as string);
    this.#series.set(key, { count: 1, until: now + this.#bounds.window });
  }
}
