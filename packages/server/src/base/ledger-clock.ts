/** Moments of writes. */
export const momentLimits = {
  /** Ledgers whose last moment a process remembers. */
  ledgers: 10_000,
  /** Milliseconds behind what is stored beyond which a moment is decided anew: clocks of machines differ. */
  behind: 100,
  /** Milliseconds ahead of the database's clock beyond which writes are refused. */
  ahead: 300_000,
  /**
   * Milliseconds after which a commit has asked for the last moment of all records again, rather than of those of the kinds that it
   * stores: that takes fifteen times as long.
   */
  asked: 1_000,
} as const;

/** What is known of the moments of a ledger. */
interface LedgerMoments {
  /** The last one, milliseconds since 1970. */
  last: number;
  /** By how much the clock was behind when a commit has told of the last moment. */
  behind: number;
  /** When the last moment was asked for, whatever record has it. */
  asked: number;
}

/**
 * The moments of what a process stores, by ledger: they never decrease, since the last one counts where the clock is behind it.
 * It learns the moments of other processes from commits.
 */
export class LedgerClock {
  readonly #ledgers = new Map<number, LedgerMoments>();

  /** @param now milliseconds since 1970 */
  constructor(private readonly now: () => number) {}

  /** The moment of what is decided now, milliseconds since 1970. @param from it is not earlier than this */
  next(ledger: number, from = 0): number {
    const known = this.#known(ledger);
    known.last = Math.max(known.last, this.now(), from);
    return known.last;
  }

  /** The clock, put forward by what it was found to be behind: the moments that are stored are not later. */
  current(ledger: number): number {
    return this.now() + (this.#ledgers.get(ledger)?.behind ?? 0);
  }

  /** Whether it is time to ask for the last moment again, whatever record has it. */
  mayAsk(ledger: number): boolean {
    const known = this.#known(ledger);
    const now = this.now();
    if (Math.abs(now - known.asked) < momentLimits.asked) return false;
    known.asked = now;
    return true;
  }

  /** Something of that moment is stored. */
  saw(ledger: number, moment: number): void {
    const known = this.#known(ledger);
    known.last = Math.max(known.last, moment);
    known.behind = Math.max(0, moment - this.now());
  }

  #known(ledger: number): LedgerMoments {
    const known = this.#ledgers.get(ledger) ?? { last: 0, behind: 0, asked: Number.NEGATIVE_INFINITY };
    // The one that was asked for last is the last to go.
    this.#ledgers.delete(ledger);
    this.#ledgers.set(ledger, known);
    if (this.#ledgers.size > momentLimits.ledgers) this.#ledgers.delete(this.#ledgers.keys().next().value!);
    return known;
  }
}
