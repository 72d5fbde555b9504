import { LruCache } from '../base/lru-cache.js';
import type { JournalRow } from '../store/journal/entries.js';
import type { makeEntry } from './entry.js';
import { journalLimits } from './journal-limits.js';

export type Sort = JournalRow['sort'];

export const SORTS = [0, 1, 2, 3] as const;

/** What the limits call the sorts. */
export const SORT_NAMES = ['stored', 'signers', 'others', 'unstored'] as const;

type QueuedEntry = ReturnType<typeof makeEntry>;

/** Entries of a ledger that wait, by their sort, the oldest first. */
type WaitingEntries = readonly [QueuedEntry[], QueuedEntry[], QueuedEntry[], QueuedEntry[]];

/**
 * Entries that wait to be stored. Each ledger has its own bound, and within it each sort of entries has: a flood of refusals
 * takes no room from the entries of writes.
 */
export class EntryQueue {
  readonly #waiting = new Map<number, WaitingEntries>();
  /** Entries of a ledger that were left out since the last one that was taken. */
  readonly #dropped = new LruCache<number, { count: number }>(journalLimits.ledgers);
  #size = 0;

  /** @param dropped called with the number of entries that are left out */
  constructor(readonly dropped: (entries: number) => void) {}

  get size(): number {
    return this.#size;
  }

  /**
   * Takes an entry, unless too many of its ledger wait.
   *
   * @param make makes it, given how many before it were left out
   * @returns whether as many of its sort wait as one statement stores
   */
  add(ledger: number, sort: Sort, make: (dropped: number) => QueuedEntry): boolean {
    const own = this.#waiting.get(ledger) ?? [[], [], [], []];
    if (!this.#hasRoom(own, sort)) {
      this.#drop(ledger, 1);
      return false;
    }
    const dropped = this.#dropped.get(ledger);
    own[sort].push(make(dropped?.count ?? 0));
    if (dropped) dropped.count = 0;
    this.#waiting.set(ledger, own);
    this.#size += 1;
    return own[sort].length >= journalLimits.batch;
  }

  #hasRoom(own: WaitingEntries, sort: Sort): boolean {
    const { process, few, ...most } = journalLimits.waiting;
    if (own[sort].length >= most[SORT_NAMES[sort]]) return false;
    return this.#size < process || own.reduce((sum, { length }) => sum + length, 0) < few;
  }

  /** @param untold how many were left out before, of which the entries that are left out now would have told */
  #drop(ledger: number, entries: number, untold = 0): void {
    this.#dropped.getOrSet(ledger, () => ({ count: 0 })).count += entries + untold;
    this.dropped(entries);
  }

  /** Ledgers with entries that wait. */
  ledgers(): readonly number[] {
    return [...this.#waiting.keys()];
  }

  /** The oldest entries of a sort, as many as one statement stores. */
  oldest(ledger: number, sort: Sort): readonly QueuedEntry[] {
    return this.#waiting.get(ledger)?.[sort].slice(0, journalLimits.batch) ?? [];
  }

  /** Takes the oldest entries out, which were stored, or are left out. */
  remove(ledger: number, sort: Sort, entries: readonly QueuedEntry[], isStored: boolean): void {
    const own = this.#waiting.get(ledger);
    own?.[sort].splice(0, entries.length);
    this.#size -= entries.length;
    if (own?.every((rows) => rows.length === 0)) this.#waiting.delete(ledger);
    if (isStored) return;
    const untold = entries.reduce((sum, { dropped }) => sum + dropped, 0);
    this.#drop(ledger, entries.length, untold);
  }

  /** Puts a ledger behind the others. */
  putLast(ledger: number): void {
    const own = this.#waiting.get(ledger);
    if (!own) return;
    this.#waiting.delete(ledger);
    this.#waiting.set(ledger, own);
  }
}
