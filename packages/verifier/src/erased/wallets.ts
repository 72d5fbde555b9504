import type { Accounts } from '../kept/accounts.js';
import type { Lives } from '../kept/lives.js';
import { momentNumber } from '../kept/moment.js';
import type { MovedRow, MovedRows } from '../kept/moved-rows.js';
import type { Records } from '../kept/records.js';
import type { EntryLine } from '../lines.js';

/**
 * Wallets whose texts were erased. Movements are noted under the luid, and proofs name the handle, which is gone: each
 * noted movement is one that a proof tells of and that is no other wallet's.
 */
export class ErasedWallets {
  readonly #luids = new Set<string>();
  readonly #entries: EntryLine[] = [];
  /** What proofs call wallets that are erased. */
  readonly #names = new Set<number>();
  /** The accounts of those names that they have had. */
  readonly #accounts = new Set<number>();

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

  /** Whether proofs call an erased wallet by the name with this number. */
  mayBe(name: number): boolean {
    return this.#names.has(name);
  }

  /** Whether an erased wallet may have had what proofs say of the account. */
  mayHold(account: number): boolean {
    return this.#accounts.has(account);
  }

  /**
   * Finds the movements that proofs tell of, among those that are not noted of another wallet: they are noted then.
   *
   * @returns what was noted, and told by no proof
   */
  match(moved: MovedRows, accounts: Accounts, records: Records, lives: Lives): EntryLine[] {
    if (this.#entries.length === 0) return [];
    const free = new Map<string, number[]>();
    for (let row = 0; row < moved.count; row += 1) {
      if (moved.isSeen(row)) continue;
      const movement = moved.get(row);
      const key = movementKey(movement, accounts.symbolOf(movement.account));
      const like = free.get(key);
      if (like) like.push(row);
      else free.set(key, [row]);
    }
    return this.#entries.filter((entry) => {
      const said = { ...entry, intent: records.numberOf(entry.intent), moment: momentNumber(entry.moment) };
      const row = free.get(movementKey(said, entry.symbol))?.pop();
      if (row === undefined) return true;
      moved.see(row);
      const { account, moment } = moved.get(row);
      const name = accounts.ownerOf(account);
      this.#names.add(name);
      // Two wallets of a handle are never there at once: this one would be that of another.
      if (!lives.isLived(name, moment)) this.#accounts.add(account);
      return false;
    });
  }
}

/** What a movement and its note have in common beside the wallet. */
function movementKey(
  { intent, change, availableBy, reservedBy, moment }: Omit<MovedRow, 'account' | 'isJudged'>,
  symbol: string,
): string {
  return `${intent} ${change} ${symbol} ${availableBy} ${reservedBy} ${moment}`;
}
