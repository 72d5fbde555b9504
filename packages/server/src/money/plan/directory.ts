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
 * The current version of a record, and the characters of its text. Long ones cost steps: no bound at the entry says how many of them
 * an intent may have read, since each of its claims may name a wallet of a megabyte.
 *
 * @throws OutOfDate when it is found under another state of the ledger; as a turn of the session's task does
 */
async function readCurrent(session: Session, kind: FoundKind, handle: string) {
  const version = await session.findVersion(kind, handle, 'handle');
  if (!version) return undefined;
  const { body, change } = version;
  await session.task.turn(stepsOfText(body));
  const current: CurrentRecord = { record: readJson(body) as RecordEnvelope, change };
  return { current, characters: body.length };
}

/** The wallets, symbols and bridges of one ledger that were found of late: the commit compares their versions. */
export class KnownRecords {
  readonly #found = new Map<string, CurrentRecord>();

  /** A directory that reads what is not known. It throws as `readCurrent` does. */
  directory(session: Session): Directory {
    const find = (kind: FoundKind) => async (handle: string) => {
      const key = `${kind} ${handle}`;
      const known = this.#found.get(key);
      if (known) return known;
      const read = await readCurrent(session, kind, handle);
      if (!read) return undefined;
      // As many long ones as are known otherwise would fill the memory.
      if (read.characters > sequencerLimits.knownText) return read.current;
      if (this.#found.size >= sequencerLimits.known) this.forget();
      this.#found.set(key, read.current);
      return read.current;
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
