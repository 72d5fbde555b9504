import { limits } from '../../limits.js';

/** Bytes of the bodies that other processes have sent and that are not answered yet: in all, and of each ledger. */
export class HeldBytes {
  #all = 0;
  readonly #byLedger = new Map<string, number>();

  /** @returns gives the bytes back; undefined where there is no room for them */
  take(ledger: string, bytes: number): (() => void) | undefined {
    const { held } = limits.siblings;
    const own = this.#byLedger.get(ledger) ?? 0;
    if (this.#all + bytes > held.all || own + bytes > held.ledger) return undefined;
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
