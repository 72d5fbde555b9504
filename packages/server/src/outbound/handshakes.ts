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
   * @throws Error where all calls to the host have ended; Error `EBUSY` while handshakes of all ledgers that call the host have taken too long; `api.request-timeout`,
   *   Overloaded, and what `work` throws
   */
  run<T>(host: string, work: (took: (milliseconds: number) => void) => Promise<T>): Promise<T>;
}

/** As `limits.handshakes` has them. */
interface HandshakeBounds {
  readonly turns: Omit<SemaphoreBounds, 'late'>;
  readonly quick: number;
  readonly burst: number;
  readonly rest: number;
  readonly ledgers: number;
}

/**
 * What handshakes took of the event loop is a debt of the ledger, which time pays off: each millisecond takes ten.
 *
 * @param bounds those of `limits` unless given
 * @param now milliseconds, of a clock that only goes forward
 */
export function createHandshakes(
  callers: Callers,
  bounds: HandshakeBounds = limits.handshakes,
  now: () => number = () => performance.now(),
): Handshakes {
  const { turns, quick, burst, rest, ledgers } = bounds;
  const take = createWeightedSemaphore({ ...turns, late: 'Other handshakes took too long.' }, now);
  /** When each ledger has paid. */
  const debts = new LruCache<number, { readonly paid: number }>(ledgers);
  const paid = (ledger: number) => Math.max(debts.get(ledger)?.paid ?? 0, now());
  const isResting = (ledger: number) => paid(ledger) - now() > burst * rest;
  const charged = chargeCallers(callers, isResting);
  const assertCalled = (host: string) => {
    if (!callers.has(host)) throw new Error(`The calls to ${host} have ended`);
  };
  return {
    async run(host, work) {
      // A ledger may begin to rest while it waits for its turn: another one is charged then.
      for (let ledgersLeft = callers.of(host).length; ledgersLeft > 0; ledgersLeft -= 1) {
        if (callers.of(host).every(isResting)) break;
        assertCalled(host);
        const outcome = await charged(host, (ledger) =>
          take(ledger, 1, async () => {
            if (isResting(ledger)) return undefined;
            assertCalled(host);
            const took = (spent: number) => {
              if (spent > quick) debts.set(ledger, { paid: paid(ledger) + spent * rest });
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
