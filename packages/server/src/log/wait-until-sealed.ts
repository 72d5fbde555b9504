import { LruCache } from '../base/lru-cache.js';
import { findPlaces, isLogStalled, type LeafPlace, type LoggedChange } from '../store/log/leaves.js';
import type { Queryable } from '../store/queries/statement.js';
import { logLimits } from './log-limits.js';

interface SealWaiter extends LoggedChange {
  readonly end: (place: LeafPlace | undefined) => void;
}

/**
 * Lets writes wait until their changes are sealed (interface/log#wait-until-sealed). One statement at a time looks for all
 * changes that are waited for, so that a write holds no connection while it waits.
 *
 * @param failed told of a look that failed; the next one is made all the same
 */
export function createSealWait(on: Queryable, failed: (error: unknown) => void) {
  const { every, count, each, spare } = logLimits.waiting;
  const waiting = new Set<SealWaiter>();
  const counts = new Map<number, number>();
  let held = 0;
  let isLooking = false;

  const look = async () => {
    const asked = [...waiting];
    const places = await findPlaces(on, asked).catch((error: unknown) => {
      failed(error);
      return [];
    });
    for (const [at, { end }] of asked.entries()) if (places[at]) end(places[at]);
  };
  const tick = () => {
    if (isLooking) return;
    isLooking = true;
    setTimeout(async () => {
      await look();
      isLooking = false;
      if (waiting.size > 0) tick();
    }, every);
  };

  const stalled = new LruCache<number, { readonly look: Promise<boolean>; readonly since: number }>(count);
  const isStalled = (ledger: number): Promise<boolean> => {
    const known = stalled.get(ledger);
    if (known && performance.now() - known.since < logLimits.waiting.stalled) return known.look;
    const look = isLogStalled(on, ledger).catch((error: unknown) => {
      failed(error);
      return false;
    });
    stalled.set(ledger, { look, since: performance.now() });
    return look;
  };

  const wait = (change: LoggedChange, patience: number, left: AbortSignal) =>
    new Promise<LeafPlace | undefined>((resolve) => {
      const waiter = { ...change, end };
      const over = setTimeout(end, patience, undefined);
      const leave = () => end(undefined);
      function end(place: LeafPlace | undefined) {
        clearTimeout(over);
        left.removeEventListener('abort', leave);
        waiting.delete(waiter);
        resolve(place);
      }
      left.addEventListener('abort', leave);
      waiting.add(waiter);
      tick();
    });

  return {
    /**
     * Resolves with the place of a change once it is sealed.
     *
     * @param patience milliseconds
     * @param left aborted when nobody waits any more
     * @returns undefined when the time is over, or nobody waits; at once `full` when too many wait already, and `stalled` when
     *   the log is stopped, or has changes of before to add first
     */
    async whenSealed(
      change: LoggedChange,
      patience: number,
      left: AbortSignal,
    ): Promise<LeafPlace | 'full' | 'stalled' | undefined> {
      const { ledger } = change;
      const others = counts.get(ledger) ?? 0;
      // The last places are for ledgers of which nobody waits.
      const most = held < count - spare ? each : 1;
      if (held >= count || others >= most) return 'full';
      if (left.aborted) return undefined;
      held += 1;
      counts.set(ledger, others + 1);
      try {
        if (await isStalled(ledger)) return 'stalled';
        return left.aborted ? undefined : await wait(change, patience, left);
      } finally {
        held -= 1;
        const rest = counts.get(ledger)! - 1;
        if (rest > 0) counts.set(ledger, rest);
        else counts.delete(ledger);
      }
    },
  };
}
