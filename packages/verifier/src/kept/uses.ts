import type { StoredProof, Suite } from '@countersign/protocol';
import { Column } from './column.js';
import { DigestTable, keyOfHex } from './digest-table.js';

/** Which record each proof of a client counts for: 128 bits of its digest, its key and the record, 32 bytes or so in all. */
export class Uses {
  readonly #table = new DigestTable();
  readonly #records = new Column('int32');
  readonly #keys = new Column('int32');
  readonly #known = new Map<string, number>();

  constructor(private readonly suite: Pick<Suite, 'sha256'>) {}

  /** @returns the record that the proof counts for: the one that used it first */
  use({ digest, public: key }: StoredProof, record: number): number {
    const number = this.#numberOf(key);
    const first = this.#take(keyOfHex(digest), number, record);
    if (this.#keys.get(first) === number) return this.#records.get(first);
    // Several may sign the same.
    return this.#records.get(this.#take(keyOfHex(this.suite.sha256(`${digest} ${key}`)), number, record));
  }

  #take(digest: Uint32Array, key: number, record: number): number {
    const { count } = this.#table;
    const at = this.#table.put(digest);
    if (at === count) {
      this.#records.set(at, record);
      this.#keys.set(at, key);
    }
    return at;
  }

  #numberOf(key: string): number {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const number = this.#known.size;
    this.#known.set(key, number);
    return number;
  }
}
