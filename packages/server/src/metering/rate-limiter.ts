import { LruCache } from '../base/lru-cache.js';
import { rateLimits } from './rate-limits.js';

/** How many there may be: `count` in `seconds`, all of which may come at once. */
export interface RateLimit {
  readonly count: number;
  readonly seconds: number;
}

/** What a process has let through since it last told, by key. */
export type Spent = readonly (readonly [key: string, count: number])[];

/**
 * Limits how often something happens for each of many keys: the generic cell rate algorithm, which keeps one number a key. The
 * key used least lately is forgotten when there are too many.
 */
export class RateLimiter {
  readonly #clock: () => number;
  /** Milliseconds that one takes, and that may be taken in advance. */
  readonly #each: number;
  readonly #advance: number;
  /** When a key has used up what it took. */
  readonly #until = new LruCache<string, { at: number }>(rateLimits.keys);
  readonly #spent = new Map<string, number>();

  /** @param clock milliseconds of a monotonic clock */
  constructor({ count, seconds }: RateLimit, clock: () => number) {
    this.#clock = clock;
    this.#each = (seconds * 1_000) / count;
    this.#advance = seconds * 1_000;
  }

  /**
   * Takes one.
   *
   * @param left the part of the limit that it leaves to others
   * @returns 0, or the milliseconds after which there is one again
   */
  take(key: string, left = 0): number {
    const now = this.#clock();
    const until = this.#untilOf(key);
    const next = Math.max(until.at, now) + this.#each;
    const wait = next - now - this.#advance * (1 - left);
    // Sums of fractions of a millisecond are off by less than this.
    if (wait > TOLERANCE) return wait;
    until.at = next;
    // Only the first keys of a moment are told: a list without end would cost more than it is for.
    if (this.#spent.has(key) || this.#spent.size < rateLimits.reportedKeys) {
      this.#spent.set(key, (this.#spent.get(key) ?? 0) + 1);
    }
    return 0;
  }

  /**
   * Charges what other processes have let through. A debt is remembered as far as a whole limit beyond the limit, so that in a flood
   * the processes together let through what one would.
   */
  charge(spent: Spent): void {
    const now = this.#clock();
    for (const [key, count] of spent) {
      const until = this.#untilOf(key);
      until.at = Math.min(Math.max(until.at, now) + count * this.#each, now + 2 * this.#advance);
    }
  }

  /** What this process has let through since it was last asked. */
  takeSpent(): Spent {
    const spent = [...this.#spent];
    this.#spent.clear();
    return spent;
  }

  #untilOf(key: string): { at: number } {
    return this.#until.getOrSet(key, () => ({ at: 0 }));
  }
}

const TOLERANCE = 1e-3;
