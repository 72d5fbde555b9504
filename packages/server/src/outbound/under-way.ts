import { Overloaded } from '../base/gather.js';

/** How many may be under way: for one, and for all together. */
export interface Bounds {
  readonly each: number;
  readonly all: number;
}

/**
 * Counts what is under way. What would be one too many is turned away at once and does not wait: a service that answers
 * slowly would let the queue grow for everybody.
 *
 * @returns runs `work` for `of`; throws Overloaded where a bound is reached
 */
export function underWay({ each, all }: Bounds): <T>(of: number, work: () => Promise<T>) => Promise<T> {
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
