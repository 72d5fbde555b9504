import { LruCache } from '../base/lru-cache.js';
import { createWeightedSemaphore } from '../base/weighted-semaphore.js';
import { limits } from '../limits.js';
import { type Callers, chargeCallers } from './callers.js';

/** Bounds the TLS handshakes with services, which tenants choose, by the time that they take of the event loop. */
export interface Handshakes {
  /**
   * Runs a handshake with a host when it is the turn of a ledger that calls it.
   *
   * @param work makes it, and tells the milliseconds that it took of the event loop, also when it fails
   * @throws Error `EBUSY` while handshakes of the ledger have taken too long; `api.request-timeout`, Overloaded, and what `work`
   *   throws
   */
  run<T>(host: string, work: (took: (milliseconds: number) => void) => Promise<T>): Promise<T>;
}

export function createHandshakes(callers: Callers): Handshakes {
  const { turns, quick, rest, ledgers } = limits.handshakes;
  const take = createWeightedSemaphore({ ...turns, late: 'Other handshakes took too long.' });
  const charged = chargeCallers(callers);
  const resting = new LruCache<number, { readonly until: number }>(ledgers);
  return {
    run: (host, work) =>
      charged(host, (ledger) =>
        take(ledger, 1, async () => {
          if (performance.now() < (resting.get(ledger)?.until ?? 0)) throw busy(host);
          return work((spent) => {
            if (spent > quick) resting.set(ledger, { until: performance.now() + spent * rest });
          });
        }),
      ),
  };
}

function busy(host: string): Error {
  const error = new Error(`TLS handshakes of the ledger took too long, so none is made with ${host} now`);
  return Object.assign(error, { code: 'EBUSY' });
}
