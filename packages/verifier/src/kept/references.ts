import type { Suite } from '@countersign/protocol';
import type { FindingPlace } from '../finding.js';
import { TextNumbers } from './text-numbers.js';

/** Those that were confirmed last, so that what all records say of one signer is not hashed each time. */
const RECENT = 1_000;

/**
 * What records name, and what there is: whether all that is named is there shows when all records were seen. Of what is
 * there 128 bits are kept; of what is not there yet, the text and where it was named first.
 */
export class References {
  readonly #there: TextNumbers;
  readonly #named = new Map<string, FindingPlace>();
  readonly #recent = new Set<string>();

  constructor(suite: Pick<Suite, 'sha256'>) {
    this.#there = new TextNumbers(suite);
  }

  add(fact: string): void {
    this.#there.put(fact);
    this.#named.delete(fact);
  }

  has(fact: string): boolean {
    return this.#there.find(fact) >= 0;
  }

  name(fact: string, place: FindingPlace): void {
    if (this.#recent.has(fact) || this.#named.has(fact)) return;
    if (!this.has(fact)) {
      this.#named.set(fact, place);
      return;
    }
    if (this.#recent.size === RECENT) this.#recent.clear();
    this.#recent.add(fact);
  }

  /** What was named, and is not there. */
  missing(): [fact: string, place: FindingPlace][] {
    return [...this.#named];
  }
}
