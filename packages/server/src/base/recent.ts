/**
 * A map whose entries weigh at most `limit` together: where they would weigh more, those that went unused longest make
 * room.
 */
export class Recent<K, V extends object> {
  readonly #limit: number;
  readonly #weigh: (value: V) => number;
  #weight = 0;
  /** A Map keeps the order of insertion, and each use inserts anew: the first entry is the one to go. */
  readonly #entries = new Map<K, V>();

  /**
   * @param limit at least 1
   * @param weigh what a value weighs, always the same for one value; 1 unless given, so that `limit` is a number of
   *   entries
   */
  constructor(limit: number, weigh: (value: V) => number = () => 1) {
    this.#limit = limit;
    this.#weigh = weigh;
  }

  /** How many entries are kept. */
  get size(): number {
    return this.#entries.size;
  }

  /** The value kept for `key`. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** Keeps `value` for `key`, in place of what was kept before; not at all when it alone weighs more than the limit. */
  set(key: K, value: V): void {
    this.#drop(key);
    const weight = this.#weigh(value);
    if (weight > this.#limit) return;
    this.#entries.set(key, value);
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#limit) break;
      this.#drop(oldest);
    }
  }

  /** The value kept for `key`, or what `make` returns, which is then kept. Nothing is kept when `make` throws. */
  take(key: K, make: () => V): V {
    const kept = this.get(key);
    if (kept !== undefined) return kept;
    const value = make();
    this.set(key, value);
    return value;
  }

  #drop(key: K): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#weight -= this.#weigh(value);
  }
}
