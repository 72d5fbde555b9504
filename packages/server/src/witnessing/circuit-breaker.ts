import { type BackOff, backOff } from '../base/back-off.js';
import { Overloaded } from '../base/gather.js';
import { cacheLimits, LruCache } from '../base/lru-cache.js';
import { witnessLimits } from './witness-limits.js';

/** How a witness has served this process, and what it may be asked because of it. */
export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

interface FailureCount {
  count: number;
  /** Not before this time by the clock. */
  until: number;
}

/**
 * @param clock milliseconds of a monotonic clock
 * @param random from 0 inclusive to 1 exclusive
 * @param refused how long a log rests that was refused
 */
export function createCircuitBreaker(
  clock: () => number,
  random: () => number,
  refused: BackOff = witnessLimits.refused,
) {
  const { each, patience, retry } = witnessLimits;
  const all: FailureCount = { count: 0, until: 0 };
  const byLedger = new LruCache<number, FailureCount>(cacheLimits.ledgers);
  const waiting = new Set<() => void>();
  let underWay = 0;

  /** Takes a place, before anybody else can. */
  const take = (): boolean => {
    // One that has failed is tried by one request before others follow.
    if (underWay >= (all.count > 0 ? 1 : each)) return false;
    underWay += 1;
    return true;
  };
  const turn = async (): Promise<boolean> => {
    if (take()) return true;
    if (all.count > 0) return false;
    await new Promise<void>((resolve) => {
      const go = () => {
        clearTimeout(timer);
        waiting.delete(go);
        resolve();
      };
      const timer = setTimeout(go, patience);
      waiting.add(go);
    });
    return all.count === 0 && take();
  };
  const letNext = () => {
    const [next] = waiting;
    next?.();
  };
  const failed = (failures: FailureCount, bounds: BackOff) => {
    failures.count += 1;
    failures.until = clock() + backOff(bounds, failures.count, random());
  };
  const note = (ledger: number, outcome: string) => {
    if (outcome === 'failed') failed(all, retry);
    else all.count = 0;
    if (outcome === 'refused' || outcome === 'invalid') {
      failed(
        byLedger.getOrSet(ledger, () => ({ count: 0, until: 0 })),
        refused,
      );
    } else if (outcome !== 'failed') byLedger.delete(ledger);
  };

  return {
    /**
     * Runs a request to the witness, when it is due for one.
     *
     * @returns undefined while the witness rests after failures, for this log or for all, or has too much to do; also when the
     *   server itself has too much to do for the request
     */
    async ask<T extends { readonly outcome: string }>(
      ledger: number,
      request: () => Promise<T>,
    ): Promise<T | undefined> {
      const isResting = clock() < all.until && all.count > 0;
      if (isResting || clock() < (byLedger.get(ledger)?.until ?? 0) || !(await turn())) return undefined;
      try {
        const answered = await request();
        note(ledger, answered.outcome);
        return answered;
      } catch (error) {
        // It says nothing about the witness: other calls of the server, of a tenant's bridges say, fill the bounds.
        if (error instanceof Overloaded) return undefined;
        throw error;
      } finally {
        underWay -= 1;
        letNext();
      }
    },
  };
}
