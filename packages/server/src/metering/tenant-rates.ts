import { RetryLater } from '../base/retry-later.js';
import { type RateLimit, RateLimiter, type Spent } from './rate-limiter.js';
import { rateLimits } from './rate-limits.js';
import type { TellRefusal } from './refusals.js';

/** What senders and ledgers may do in a time; what is absent has no limit. */
export interface TenantRateLimits {
  /** Requests of one sender. */
  readonly requests?: RateLimit;
  /** New ledgers of one sender. */
  readonly ledgers?: RateLimit;
  /** Writes in one ledger that its rules grant. */
  readonly writes?: RateLimit;
}

type RateName = keyof TenantRateLimits;

/** What one process has let through lately. */
export type SpentRates = Readonly<Partial<Record<RateName, Spent>>>;

/** The detail of a refusal. Handles and addresses stay out of it. */
const DETAILS: Readonly<Record<RateName, string>> = {
  requests: 'Too many requests come from this address.',
  ledgers: 'Too many requests for new ledgers come from this address.',
  writes: 'There are too many writes in this ledger.',
};

/**
 * The limits on what senders and ledgers do in a time (interface/limits#rates). Processes of one machine tell each other what
 * they let through.
 */
export class TenantRates {
  readonly #limiters = new Map<RateName, RateLimiter>();
  readonly #refused: TellRefusal;
  /** Requests whose write is counted: one may be judged several times. */
  readonly #counted = new WeakSet<object>();

  /**
   * @param refused called with each refusal
   * @param clock milliseconds of a monotonic clock
   */
  constructor(allowed: TenantRateLimits, refused: TellRefusal = () => {}, clock = () => performance.now()) {
    for (const [name, limit] of Object.entries(allowed) as [RateName, RateLimit | undefined][]) {
      if (limit) this.#limiters.set(name, new RateLimiter(limit, clock));
    }
    this.#refused = refused;
  }

  /** @throws RetryLater with `api.rate-limit-exceeded` */
  admitRequest(sender: string): void {
    this.#admit('requests', sender);
  }

  /** @throws RetryLater with `api.rate-limit-exceeded` */
  admitLedger(sender: string): void {
    this.#admit('ledgers', sender);
  }

  /**
   * Counts a write. It is called once access is granted, so that refused writes count for their sender's address alone.
   *
   * @param request stands for the request, which counts once
   * @param isFirst whether the write has priority: it is of the ledger's owners, or about an intent under way. The last tenth
   *   of the limit is kept for these
   * @throws RetryLater with `api.rate-limit-exceeded`
   */
  admitWrite(
    { id, handle }: { readonly id: number; readonly handle: string },
    request: object,
    isFirst: boolean,
  ): void {
    if (!this.#limiters.has('writes') || this.#counted.has(request)) return;
    this.#admit('writes', String(id), handle, isFirst ? 0 : rateLimits.left);
    this.#counted.add(request);
  }

  /** What this process has let through since it was last asked; undefined for nothing. */
  takeSpent(): SpentRates | undefined {
    const spent = [...this.#limiters].map(([name, limiter]) => [name, limiter.takeSpent()] as const);
    const some = spent.filter(([, keys]) => keys.length > 0);
    return some.length > 0 ? Object.fromEntries(some) : undefined;
  }

  /** Charges what another process has let through. */
  charge(spent: SpentRates): void {
    for (const [name, keys] of Object.entries(spent) as [RateName, Spent][]) this.#limiters.get(name)?.charge(keys);
  }

  /**
   * @param of the name that a refusal is reported under
   * @param left the part of the limit that must stay free, for writes with priority
   */
  #admit(name: RateName, key: string, of = key, left = 0): void {
    const wait = this.#limiters.get(name)?.take(key, left) ?? 0;
    if (wait <= 0) return;
    this.#refused(name, of);
    const seconds = Math.ceil(wait / 1_000);
    throw new RetryLater('api.rate-limit-exceeded', `${DETAILS[name]} Retry after ${seconds} s.`, seconds);
  }
}
