import type { Bell } from '../base/bell.js';

/** How many attempts may be under way: in one process, and of one ledger. */
export interface SlotBounds {
  readonly process: number;
  readonly ledger: number;
}

/**
 * Counts the attempts of a process, so that a ledger with many slow receivers leaves room for the others.
 */
export class Slots {
  readonly #bounds: SlotBounds;
  readonly #taken = new Map<number, number>();
  readonly #waiting = new Set<Bell>();
  #total = 0;

  constructor(bounds: SlotBounds) {
    this.#bounds = bounds;
  }

  /** Attempts under way in this process. */
  get total(): number {
    return this.#total;
  }

  /** Takes up to `wanted` slots. @returns how many were free */
  take(ledger: number, wanted: number): number {
    const taken = this.#taken.get(ledger) ?? 0;
    const count = Math.max(0, Math.min(wanted, this.#bounds.ledger - taken, this.#bounds.process - this.#total));
    if (count > 0) this.#taken.set(ledger, taken + count);
    this.#total += count;
    return count;
  }

  release(ledger: number, count = 1): void {
    if (count === 0) return;
    const left = (this.#taken.get(ledger) ?? 0) - count;
    if (left > 0) this.#taken.set(ledger, left);
    else this.#taken.delete(ledger);
    this.#total -= count;
    for (const bell of this.#waiting) bell.ring();
    this.#waiting.clear();
  }

  /** Rings once, when slots are released. */
  onRelease(bell: Bell): void {
    this.#waiting.add(bell);
  }
}
