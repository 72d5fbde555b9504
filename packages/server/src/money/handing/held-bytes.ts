import { limits } from '../../limits.js';

/** Bytes of handed intents that wait for their turn: in all, and of each ledger. */
export class HeldBytes {
  #all = 0;
  readonly #byLedger = new Map<string, number>();

  /** @returns gives the bytes back; undefined where there is no room for them */
  take(ledger: string, bytes: number): (() => void) | undefined {
    const { held } = limits.siblings;
    const own = this.#byLedger.get(ledger) ?? 0;
    // One alone is taken whatever its size: `frame` bounds it.
    if (this.#all > 0 && this.#all + bytes > held.all) return undefined;
    if (own > 0 && own + bytes > held.ledger) return undefined;
    this.#add(ledger, bytes);
    return () => this.#add(ledger, -bytes);
  }

  #add(ledger: string, bytes: number): void {
    this.#all += bytes;
    const own = (this.#byLedger.get(ledger) ?? 0) + bytes;
    if (own > 0) this.#byLedger.set(ledger, own);
    else this.#byLedger.delete(ledger);
  }
}
