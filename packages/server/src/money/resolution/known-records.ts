import type { Session } from '../../ledgers/session.js';
import { limits } from '../../limits.js';
import { type Directory, directoryOf, type Found } from './directory.js';

/** The wallets, symbols and bridges of one ledger that were found of late: the commit compares their versions. */
export class KnownRecords {
  readonly #found = new Map<string, Found>();

  /** A directory that reads what is not known. It throws as that of the session does. */
  directory(session: Session): Directory {
    const stored = directoryOf(session);
    const find = (kind: keyof Directory) => async (handle: string) => {
      const key = `${kind} ${handle}`;
      const known = this.#found.get(key);
      if (known) return known;
      const found = await stored[kind](handle);
      if (!found) return undefined;
      if (this.#found.size >= limits.intents.known) this.forget();
      this.#found.set(key, found);
      return found;
    };
    return { wallet: find('wallet'), symbol: find('symbol'), bridge: find('bridge') };
  }

  forget(): void {
    this.#found.clear();
  }
}
