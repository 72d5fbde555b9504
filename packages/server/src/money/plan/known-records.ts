import { type RecordEnvelope, readJson } from '@countersign/protocol';
import { LruCache } from '../../base/lru-cache.js';
import type { Session } from '../../ledgers/session.js';
import { stepsOfText } from '../../metering/task.js';
import { sequencerLimits } from '../sequencer-limits.js';
import type { Directory, FoundKind } from './directory.js';
import type { CurrentRecord } from './plan.js';

interface KnownRecord {
  readonly current: CurrentRecord;
  /** Bytes that it takes, about. */
  readonly weight: number;
  readonly key: string;
  /** The keys of those that it is one of. */
  readonly keys: Set<string>;
}

/** Wallets, symbols and bridges of all ledgers that a process leads; those that were used least recently are evicted. */
export type RecordCache = ReturnType<typeof createRecordCache>;

export function createRecordCache() {
  return new LruCache<string, KnownRecord>(
    sequencerLimits.known,
    ({ weight }) => weight,
    undefined,
    ({ key, keys }) => keys.delete(key),
  );
}

/** The wallets, symbols and bridges of one ledger that a sequencer found of late: the commit compares their versions. */
export class KnownRecords {
  static #made = 0;
  /** Begins its keys: of a ledger, a later sequencer must not find what an evicted one could no longer forget. */
  readonly #number = KnownRecords.#made++;
  readonly #keys = new Set<string>();

  constructor(private readonly cache: RecordCache) {}

  /**
   * A directory for one plan, which sees one version of each record. Its methods throw OutOfDate for a record found under another
   * state of the ledger, and as a turn of the session's task does.
   */
  directory(session: Session): Directory {
    const looked = new Map<string, Promise<CurrentRecord | undefined>>();
    const find = (kind: FoundKind) => (handle: string) => {
      const key = `${this.#number} ${kind} ${handle}`;
      const found = looked.get(key) ?? this.#find(session, kind, handle, key);
      looked.set(key, found);
      return found;
    };
    return { wallet: find('wallet'), symbol: find('symbol'), bridge: find('bridge') };
  }

  forget(): void {
    for (const key of this.#keys) this.cache.delete(key);
    this.#keys.clear();
  }

  async #find(session: Session, kind: FoundKind, handle: string, key: string): Promise<CurrentRecord | undefined> {
    const known = this.cache.get(key);
    if (known) return known.current;
    const version = await session.findVersion(kind, handle, 'handle');
    if (!version) return undefined;
    const { body, change } = version;
    // No bound at the entry says how many long ones an intent may have read: each of its claims may name a wallet of a megabyte.
    await session.task.turn(stepsOfText(body));
    const current: CurrentRecord = { record: readJson(body) as RecordEnvelope, change };
    this.cache.set(key, { current, weight: weigh(body), key, keys: this.#keys });
    // After it is set: what it replaces takes the key with it.
    this.#keys.add(key);
    return current;
  }
}

/** Bytes of a value beside its characters, about. */
const VALUE = 64;

/** Bytes that a text takes once it is parsed, about: short values take much more than their characters. */
function weigh(text: string): number {
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === ',' || character === '{' || character === '[') values += 1;
  }
  return text.length + VALUE * values;
}
