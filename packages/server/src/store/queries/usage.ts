import { LruCache } from '../../base/lru-cache.js';

/**
 * Milliseconds of connections `used`, and `wasted` on lists that were given up, both halved every `halfLife`; `each`
 * averages the last lists.
 */
export interface Usage {
  used: number;
  wasted: number;
  each: number;
  at: number;
}

/** The expected cost of a ledger's first list: ledgers whose lists are cheaper come first. */
const UNKNOWN = 100;

/**
 * Measures what the lists of each ledger have used of the connections lately.
 *
 * @param bounds `ledgers` that are remembered, and the milliseconds in which what was used counts half (exponential decay)
 * @param now milliseconds since any moment
 */
export function createUsages(bounds: { readonly ledgers: number; readonly halfLife: number }, now: () => number) {
  const usages = new LruCache<unknown, Usage>(bounds.ledgers);
  const of = (ledger: unknown): Usage => {
    const usage = usages.getOrSet(ledger, () => ({ used: 0, wasted: 0, each: UNKNOWN, at: now() }));
    const kept = 0.5 ** ((now() - usage.at) / bounds.halfLife);
    usage.used *= kept;
    usage.wasted *= kept;
    usage.at = now();
    return usage;
  };
  return {
    /** The usage of a ledger, decayed to this moment. */
    of,
    /**
     * Charges a list that begins: a running list counts at once, at its expected cost.
     *
     * @returns the milliseconds charged
     */
    begin(ledger: unknown): number {
      const usage = of(ledger);
      usage.used += usage.each;
      return usage.each;
    },
    /**
     * Corrects the charge of `begin` to the time that the list took.
     *
     * @param expected what `begin` returned
     * @param took milliseconds
     */
    end(ledger: unknown, expected: number, took: number): Usage {
      const usage = of(ledger);
      usage.used = Math.max(0, usage.used + took - expected);
      usage.each = (usage.each + took) / 2;
      return usage;
    },
  };
}
