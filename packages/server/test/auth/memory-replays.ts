import type { Replays } from '../../src/store/queries/replays.js';

/** Used tokens in memory, for tests of verification alone; `ledger` bounds how many it takes in. */
export class MemoryReplays implements Replays {
  readonly #used = new Map<string, number>();

  constructor(
    readonly clock: () => number,
    readonly bounds: { readonly ledger: number },
  ) {}

  use(ledger: string, jti: string, expiresAt: number): boolean {
    const name = JSON.stringify([ledger, jti]);
    const until = this.#used.get(name);
    if (until !== undefined && until > this.clock()) return false;
    if (until === undefined && this.#used.size >= this.bounds.ledger) return false;
    this.#used.set(name, expiresAt);
    return true;
  }
}
