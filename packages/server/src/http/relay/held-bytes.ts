import { bodyLimits } from '../bodies/body-limits.js';
import { siblingLimits } from './sibling-limits.js';

/** The bytes of one body. */
export interface HeldBody {
  /** Counts them for another account from now on; for the same one where that has no room. */
  move(account: string): void;
  giveBack(): void;
}

/** Bytes of the bodies that other processes have sent and that are not answered yet: in all, and of each account. */
export class HeldBytes {
  #all = 0;
  readonly #byAccount = new Map<string, number>();

  /**
   * @param account what they count for; a small body counts for none, as where it comes from a client
   * @returns undefined where there is no room for them
   */
  take(account: string, bytes: number): HeldBody | undefined {
    if (this.#all + bytes > siblingLimits.held.all) return undefined;
    if (bytes <= bodyLimits.small) return this.#holdSmall(bytes);
    if (!this.#hasRoom(account, bytes)) return undefined;
    let holder = account;
    let isHeld = true;
    this.#all += bytes;
    this.#add(holder, bytes);
    return {
      move: (other) => {
        if (!isHeld || other === holder || !this.#hasRoom(other, bytes)) return;
        this.#add(holder, -bytes);
        holder = other;
        this.#add(holder, bytes);
      },
      giveBack: () => {
        isHeld = false;
        this.#all -= bytes;
        this.#add(holder, -bytes);
      },
    };
  }

  #holdSmall(bytes: number): HeldBody {
    this.#all += bytes;
    return {
      move() {},
      giveBack: () => {
        this.#all -= bytes;
      },
    };
  }

  #hasRoom(account: string, bytes: number): boolean {
    return (this.#byAccount.get(account) ?? 0) + bytes <= siblingLimits.held.account;
  }

  #add(account: string, bytes: number): void {
    const own = (this.#byAccount.get(account) ?? 0) + bytes;
    if (own > 0) this.#byAccount.set(account, own);
    else this.#byAccount.delete(account);
  }
}
