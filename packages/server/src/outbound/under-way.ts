import { Overloaded } from '../base/gather.js';

/** Greatest numbers under way: for one, and for all together. */
export interface ConcurrencyBounds {
  readonly each: number;
  readonly all: number;
}

/**
 * Bounds concurrent work. Excess work is refused at once instead of queued: a service that answers slowly would let the
 * queue grow for all.
 *
 * @returns runs `work` for `of`; throws Overloaded at a bound
 */
export function boundConcurrency({
  each,
  all,
}: ConcurrencyBounds): <T>(of: number, work: () => Promise<T>) => Promise<T> {
  const counts = new Map<number, number>();
  let total = 0;
  return async (of, work) => {
    const count = counts.get(of) ?? 0;
    if (count >= each || total >= all) throw new Overloaded();
    counts.set(of, count + 1);
    total += 1;
    try {
      return await work();
    } finally {
      total -= 1;
      const left = (counts.get(of) ?? 1) - 1;
      if (left > 0) counts.set(of, left);
      else counts.delete(of);
    }
  };
}
