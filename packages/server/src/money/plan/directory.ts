import { findAddressed } from '../../records/address.js';
import type { CurrentRecord, Named } from './plan.js';

export type FoundKind = 'wallet' | 'symbol' | 'bridge';

/** The current wallets, symbols and bridges of a ledger, by handle; undefined for one that is missing. */
export type Directory = { readonly [Kind in FoundKind]: (handle: string) => Promise<CurrentRecord | undefined> };

/** The lookups of one intent, each handle once, and what its outcome rests on. */
export class Lookups {
  readonly #directory: Directory;
  readonly #looked = new Map<string, Promise<CurrentRecord | undefined>>();
  readonly #used = new Map<string, Named>();

  constructor(directory: Directory) {
    this.#directory = directory;
  }

  /** The wallet that an address leads to (interface/wallets#routes). */
  walletAt(address: string): Promise<CurrentRecord | undefined> {
    return findAddressed(address, (handle) => this.#look('wallet', handle));
  }

  symbol(handle: string): Promise<CurrentRecord | undefined> {
    return this.#look('symbol', handle);
  }

  /** Notes that the outcome rests on this version of a record. */
  use(kind: FoundKind, found: CurrentRecord): CurrentRecord {
    const { luid } = found.record;
    this.#used.set(luid, { kind, handle: handleOf(found), luid, change: found.change });
    return found;
  }

  /** What was used, each record once, in the order of its first use. */
  needs(): readonly Named[] {
    return [...this.#used.values()];
  }

  #look(kind: FoundKind, handle: string): Promise<CurrentRecord | undefined> {
    const key = `${kind} ${handle}`;
    const looked = this.#looked.get(key);
    if (looked) return looked;
    const looking = this.#directory[kind](handle);
    this.#looked.set(key, looking);
    return looking;
  }
}

export function handleOf({ record }: CurrentRecord): string {
  return String(record.data.handle);
}
