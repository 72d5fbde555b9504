import { LruCache } from '../base/lru-cache.js';
import { createWeightedSemaphore, type SemaphoreBounds } from '../base/weighted-semaphore.js';
import { limits } from '../limits.js';
import { type Callers, chargeCallers } from './callers.js';

/** Bounds the TLS handshakes with services, which tenants choose, by the time that they take of the event loop. */
export interface Handshakes {
  /**
   * Runs a handshake with a host when it is the turn of a ledger that calls it.
   *
   * @param work makes it, and tells the milliseconds that it took of the event loop, also when it fails
   * @throws Error `EBUSY` while handshakes of all ledgers that call the host have taken too long; `api.request-timeout`,
   *   Overloaded, and what `work` throws
   */
  run<T>(host: string, work: (took: (milliseconds: number) => void) => Promise<T>): Promise<T>;
}

/** Turns, milliseconds, and a number of ledgers (`limits.handshakes`). */
interface HandshakeBounds {
  readonly turns: Omit<SemaphoreBounds, 'late'>;
  readonly quick: number;
  readonly rest: number;
  readonly ledgers: number;
}

/** @param bounds those of `limits` unless given */
export function createHandshakes(callers: Callers, bounds: HandshakeBounds = limits.handshakes): Handshakes {
  const { turns, quick, rest, ledgers } = bounds;
  const take = createWeightedSemaphore({ ...turns, late: 'Other handshakes took too long.' });
  const resting = new LruCache<number, { readonly until: number }>(ledgers);
  const isResting = (ledger: number) => performance.now() < (resting.get(ledger)?.until ?? 0);
  const charged = chargeCallers(callers, isResting);
  return {
    async run(host, work) {
      // A ledger may begin to rest while it waits for its turn: another one is charged then.
      for (let ledgersLeft = callers.of(host).length; ledgersLeft > 0; ledgersLeft -= 1) {
        if (callers.of(host).every(isResting)) break;
        const outcome = await charged(host, (ledger) =>
          take(ledger, 1, async () => {
            if (isResting(ledger)) return undefined;
            const took = (spent: number) => {
              if (spent > quick) resting.set(ledger, { until: performance.now() + spent * rest });
            };
            return { made: await work(took) };
          }),
        );
        if (outcome) return outcome.made;
      }
      throw busy(host);
    },
  };
}

function busy(host: string): Error {
  const error = new Error(`TLS handshakes of who calls ${host} took too long, so none is made now`);
  return Object.assign(error, { code: 'EBUSY' });
}
