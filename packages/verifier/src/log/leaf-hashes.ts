import { HASH_BYTES, RightEdge, type Sha256 } from '@countersign/protocol/log';

/** Leaves of a page. */
const PAGE = 256;

interface Page {
  readonly hashes: Uint8Array;
  readonly isTaken: Uint8Array;
}

/**
 * The hashes of a log's leaves, in whatever order they come: 33 bytes of memory for each. Pages are made as they are
 * needed, so that a file that claims a great tree takes no more than it brings.
 */
export class LeafHashes {
  readonly #pages = new Map<number, Page>();
  #count = 0;

  /** Leaves that were put. */
  get count(): number {
    return this.#count;
  }

  /** @returns whether the place was free; the first leaf stays */
  put(index: number, hash: Uint8Array): boolean {
    const at = index % PAGE;
    const page = this.#page((index - at) / PAGE);
    if (page.isTaken[at] === 1) return false;
    page.isTaken[at] = 1;
    page.hashes.set(hash, at * HASH_BYTES);
    this.#count += 1;
    return true;
  }

  /** The first index that no leaf has. */
  firstFree(): number {
    for (let number = 0; ; number += 1) {
      const at = this.#pages.get(number)?.isTaken.indexOf(0) ?? 0;
      if (at >= 0) return number * PAGE + at;
    }
  }

  /** The roots of the trees of the first leaves, of as many as there are, by these sizes. */
  rootsAt(sizes: Iterable<number>, sha: Sha256): Map<number, Uint8Array> {
    const edge = new RightEdge(0, [], sha);
    const roots = new Map<number, Uint8Array>();
    for (const size of [...new Set(sizes)].sort((one, other) => one - other)) {
      while (edge.size < size) {
        const at = edge.size % PAGE;
        const { hashes } = this.#page((edge.size - at) / PAGE);
        edge.append(hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
      }
      roots.set(size, edge.root());
    }
    return roots;
  }

  #page(number: number): Page {
    const known = this.#pages.get(number);
    if (known) return known;
    const made = { hashes: new Uint8Array(PAGE * HASH_BYTES), isTaken: new Uint8Array(PAGE) };
    this.#pages.set(number, made);
    return made;
  }
}
