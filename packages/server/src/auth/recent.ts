/** A map of at most `limit` entries: when it is full, the one that went unused longest makes room. */
export class Recent<K, V extends object> {
  readonly #limit: number;
  /** A Map keeps the order of insertion, and each use inserts anew: the first entry is the one to go. */
  readonly #entries = new Map<K, V>();

  /** `limit` is at least 1. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many entries are kept. */
  get size(): number {
    return this.#entries.size;
  }

  /** The value kept for `key`, or what `make` returns, which is then kept. Nothing is kept when `make` throws. */
  take(key: K, make: () => V): V {
    const kept = this.#entries.get(key);
    const value = kept ?? make();
    if (kept !== undefined) this.#entries.delete(key);
    else if (this.#entries.size >= this.#limit) this.#entries.delete(this.#entries.keys().next().value as K);
    this.#entries.set(key, value);
    return value;
  }
}
