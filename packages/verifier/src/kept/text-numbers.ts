import type { Suite } from '@countersign/protocol';
import { DigestTable, keyOfHex } from './digest-table.js';

/** Numbers texts, and keeps no more than 128 bits of the SHA-256 of each. */
export class TextNumbers {
  readonly #table = new DigestTable();
  /** Neighbours often have the same. */
  #last: { readonly text: string; readonly number: number } | undefined;

  constructor(private readonly suite: Pick<Suite, 'sha256'>) {}

  get count(): number {
    return this.#table.count;
  }

  /** The number of the text; -1 where it has none. */
  find(text: string): number {
    if (this.#last?.text === text) return this.#last.number;
    return this.#note(text, this.#table.find(this.#keyOf(text)));
  }

  /** The number of the text, which is the next one where it is new. */
  put(text: string): number {
    if (this.#last?.text === text) return this.#last.number;
    return this.#note(text, this.#table.put(this.#keyOf(text)));
  }

  #note(text: string, number: number): number {
    if (number >= 0) this.#last = { text, number };
    return number;
  }

  #keyOf(text: string) {
    return keyOfHex(this.suite.sha256(text));
  }
}

/** What is unique among the living records of a kind, as one text. */
export function uniqueName(kind: string, key: string): string {
  return `${kind} ${key}`;
}
