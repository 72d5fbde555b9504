/** What one process keeps for each ledger. */
export const cacheLimits = {
  /** Ledgers whose keys one process keeps, and for which it remembers what it last saw. */
  ledgers: 1_000,
} as const;

/** An entry of the cache, linked to the one used just before it and the one used just after it. */
interface CacheEntry<K, V> {
  readonly key: K;
  readonly value: V;
  readonly weight: number;
  older: CacheEntry<K, V> | undefined;
  newer: CacheEntry<K, V> | undefined;
}

/**
 * An LRU cache bounded by weight: when its entries together weigh more than the limit, the least recently used ones are
 * evicted. Both `get` and `set` use an entry. Every operation takes constant time (decision 0004).
 */
export class LruCache<K, V extends object> {
  readonly #limit: number;
  readonly #weigh: (value: V) => number;
  readonly #most: number;
  readonly #evicted: ((value: V) => void) | undefined;
  readonly #entries = new Map<K, CacheEntry<K, V>>();
  /** The ends of the list of entries in order of use. */
  #oldest: CacheEntry<K, V> | undefined;
  #newest: CacheEntry<K, V> | undefined;
  #weight = 0;

  /**
   * @param limit the greatest weight of all entries together, at least 1
   * @param weigh the weight of a value, read once when it is set; 1 unless given, so that `limit` is a number of entries
   * @param most the greatest number of entries, where `limit` is of another unit; no bound unless given
   * @param evicted called with each value that is evicted or replaced, as to close it
   */
  constructor(
    limit: number,
    weigh: (value: V) => number = () => 1,
    most: number = Number.POSITIVE_INFINITY,
    evicted?: (value: V) => void,
  ) {
    this.#limit = limit;
    this.#weigh = weigh;
    this.#most = most;
    this.#evicted = evicted;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The value of `key`, which becomes the most recently used; undefined when it is missing. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry !== this.#newest) {
      this.#unlink(entry);
      this.#append(entry);
    }
    return entry.value;
  }

  /**
   * Replaces the value of `key`, which becomes the most recently used. A value that alone weighs more than the limit is
   * not kept, and evicts no other entry.
   */
  set(key: K, value: V): void {
    const replaced = this.#entries.get(key);
    if (replaced !== undefined) this.#evict(replaced);
    const weight = this.#weigh(value);
    if (weight > this.#limit) return;
    const entry: CacheEntry<K, V> = { key, value, weight, older: undefined, newer: undefined };
    this.#entries.set(key, entry);
    this.#append(entry);
    this.#weight += weight;
    while (this.#weight > this.#limit || this.size > this.#most) this.#evict(this.#oldest!);
  }

  /** Evicts the value of `key`, if there is one. */
  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#evict(entry);
  }

  /**
   * The value of `key`; when it is missing, the result of `make`, which is set. When `make` throws, the cache stays as
   * it is.
   */
  getOrSet(key: K, make: () => V): V {
    const kept = this.get(key);
    if (kept !== undefined) return kept;
    const value = make();
    this.set(key, value);
    return value;
  }

  #evict(entry: CacheEntry<K, V>): void {
    this.#entries.delete(entry.key);
    this.#unlink(entry);
    this.#weight -= entry.weight;
    this.#evicted?.(entry.value);
  }

  #append(entry: CacheEntry<K, V>): void {
    entry.older = this.#newest;
    entry.newer = undefined;
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
  }

  #unlink({ older, newer }: CacheEntry<K, V>): void {
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
  }
}
