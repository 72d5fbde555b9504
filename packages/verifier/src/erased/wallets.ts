import type { EntryLine } from '../lines.js';
import type { Movement } from '../movements.js';

/**
 * Wallets whose texts were erased. Movements are noted under the luid, and proofs name the handle, which is gone: each
 * noted movement is one that a proof tells of and that is no other wallet's.
 */
export class ErasedWallets {
  readonly #luids = new Set<string>();
  readonly #entries: EntryLine[] = [];
  /** What proofs call wallets that are erased. */
  readonly #handles = new Set<string>();

  get count(): number {
    return this.#luids.size;
  }

  add(luid: string): void {
    this.#luids.add(luid);
  }

  has(luid: string): boolean {
    return this.#luids.has(luid);
  }

  addEntry(entry: EntryLine): void {
    this.#entries.push(entry);
  }

  /** Whether proofs call an erased wallet so. */
  mayBe(handle: string): boolean {
    return this.#handles.has(handle);
  }

  /**
   * Finds the movements that proofs tell of, among those that are not noted of another wallet.
   *
   * @param seen keys of movements that were noted; those that are found are added
   * @returns what was noted, and told by no proof
   */
  match(moved: ReadonlyMap<string, Movement>, seen: Set<string>): EntryLine[] {
    if (this.#entries.length === 0) return [];
    const free = new Map<string, string[]>();
    for (const [key, movement] of moved) {
      if (seen.has(key)) continue;
      const like = free.get(keyOf(movement));
      if (like) like.push(key);
      else free.set(keyOf(movement), [key]);
    }
    return this.#entries.filter((entry) => {
      const key = free.get(keyOf(entry))?.shift();
      if (key === undefined) return true;
      seen.add(key);
      this.#handles.add(moved.get(key)!.wallet);
      return false;
    });
  }
}

/** What a movement and its note have in common beside the wallet. */
function keyOf({ intent, change, symbol, availableBy, reservedBy, moment }: Movement | EntryLine): string {
  return `${intent} ${change} ${symbol} ${availableBy} ${reservedBy} ${moment}`;
}
