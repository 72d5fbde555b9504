import { LruCache } from '../../base/lru-cache.js';

/** Milliseconds: of connections used, and of those used for nothing, both halved every `halfLife`; and of its last lists. */
export interface Usage {
  used: number;
  wasted: number;
  each: number;
  at: number;
}

/** What the lists of each ledger have used of the connections lately. */
export interface Usages {
  /** The usage of a ledger, decayed to this moment. */
  of(ledger: unknown): Usage;
  /**
   * Charges a list that begins: what runs counts at once, as much as it is likely to take.
   *
   * @returns the milliseconds charged
   */
  begin(ledger: unknown): number;
  /**
   * Charges what the list took in place of what was expected.
   *
   * @param expected what `begin` returned
   * @param took milliseconds
   */
  end(ledger: unknown, expected: number, took: number): Usage;
}

/** What a list is taken to cost of which nothing is known: those of ledgers whose lists are small come before it. */
const UNKNOWN = 100;

/**
 * @param bounds `ledgers` that are remembered, and the milliseconds in which what was used counts half (exponential decay)
 * @param now milliseconds since any moment
 */
export function createUsages(
  bounds: { readonly ledgers: number; readonly halfLife: number },
  now: () => number,
): Usages {
  const usages = new LruCache<unknown, Usage>(bounds.ledgers);
  const of = (ledger: unknown): Usage => {
    const usage = usages.take(ledger, () => ({ used: 0, wasted: 0, each: UNKNOWN, at: now() }));
    const kept = 0.5 ** ((now() - usage.at) / bounds.halfLife);
    usage.used *= kept;
    usage.wasted *= kept;
    usage.at = now();
    return usage;
  };
  return {
    of,
    begin(ledger) {
      const usage = of(ledger);
      usage.used += usage.each;
      return usage.each;
    },
    end(ledger, expected, took) {
      const usage = of(ledger);
      usage.used = Math.max(0, usage.used + took - expected);
      usage.each = (usage.each + took) / 2;
      return usage;
    },
  };
}
