import { type RecordEnvelope, readJson } from '@countersign/protocol';
import type { Session } from '../../ledgers/session.js';
import { stepsOfText } from '../../metering/task.js';
import { findAddressed } from '../../records/address.js';
import { sequencerLimits } from '../sequencer-limits.js';
import type { CurrentRecord, Named } from './plan.js';

type FoundKind = 'wallet' | 'symbol' | 'bridge';

/** The current wallets, symbols and bridges of a ledger, by handle; undefined for one that is missing. */
export type Directory = { readonly [Kind in FoundKind]: (handle: string) => Promise<CurrentRecord | undefined> };

/**
 * The directory of the session's ledger. Its methods throw OutOfDate for records found under another state of the ledger,
 * and as a turn of the session's task does. Long records cost steps: no bound at the entry says how many of them an intent may
 * have read, since each of its claims may name a wallet of a megabyte.
 */
export function directoryOf(session: Session): Directory {
  const find = async (kind: FoundKind, handle: string): Promise<CurrentRecord | undefined> => {
    const version = await session.findVersion(kind, handle, 'handle');
    if (!version) return undefined;
    await session.task.turn(stepsOfText(version.body));
    return { record: readJson(version.body) as RecordEnvelope, change: version.change };
  };
  return {
    wallet: (handle) => find('wallet', handle),
    symbol: (handle) => find('symbol', handle),
    bridge: (handle) => find('bridge', handle),
  };
}

/** The wallets, symbols and bridges of one ledger that were found of late: the commit compares their versions. */
export class KnownRecords {
  readonly #found = new Map<string, CurrentRecord>();

  /** A directory that reads what is not known. It throws as that of the session does. */
  directory(session: Session): Directory {
    const stored = directoryOf(session);
    const find = (kind: keyof Directory) => async (handle: string) => {
      const key = `${kind} ${handle}`;
      const known = this.#found.get(key);
      if (known) return known;
      const found = await stored[kind](handle);
      if (!found) return undefined;
      if (this.#found.size >= sequencerLimits.known) this.forget();
      this.#found.set(key, found);
      return found;
    };
    return { wallet: find('wallet'), symbol: find('symbol'), bridge: find('bridge') };
  }

  forget(): void {
    this.#found.clear();
  }
}

/** The lookups of one intent. Each handle is looked up once, so that all claims see the same version of a record. */
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
