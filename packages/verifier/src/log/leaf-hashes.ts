import { HASH_BYTES, RightEdge, rootOf, type Sha256 } from '@countersign/protocol/log';

/** Leaves of a page. */
const LEAVES_OF_PAGE = 256;
/** Leaves that a new page has room for. */
const FIRST_CAPACITY = 8;

interface LeafPage {
  /** In the order in which they came; it grows, so that a page of one leaf is small. */
  hashes: Uint8Array;
  /** Where the hash of each leaf is, and 1 more; 0 for none. */
  readonly places: Uint16Array;
  count: number;
}

/**
 * The hashes of a log's leaves, in whatever order they come: 34 bytes of memory for each until its page of 256 is full, then
 * 32 for the page. Pages are made and grow as they are needed, so that a file that claims a great tree takes
 * little more than it brings.
 */
export class LeafHashes {
  /** By their numbers from 0: leaves, or the root of a page that is full. */
  readonly #pages = new Map<number, LeafPage | Uint8Array>();
  /** Pages whose leaves are kept, since a tree that is asked for ends in them. */
  readonly #kept: ReadonlySet<number>;
  #count = 0;

  /** @param sizes of the trees whose roots may be asked for */
  constructor(
    sizes: Iterable<number>,
    private readonly sha: Sha256,
  ) {
    this.#kept = new Set([...sizes].filter((size) => size % LEAVES_OF_PAGE > 0).map(pageNumber));
  }

  /** Leaves that were put. */
  get count(): number {
    return this.#count;
  }

  /** @returns whether the place was free; the first leaf stays */
  put(index: number, hash: Uint8Array): boolean {
    const at = index % LEAVES_OF_PAGE;
    const number = pageNumber(index);
    const page = this.#pages.get(number) ?? this.#make(number);
    if (page instanceof Uint8Array || page.places[at] !== 0) return false;
    if (page.count * HASH_BYTES === page.hashes.length) page.hashes = grown(page.hashes);
    page.hashes.set(hash, page.count * HASH_BYTES);
    page.count += 1;
    page.places[at] = page.count;
    this.#count += 1;
    if (page.count === LEAVES_OF_PAGE && !this.#kept.has(number))
      this.#pages.set(number, rootOf(hashesIn(page, LEAVES_OF_PAGE), this.sha));
    return true;
  }

  /** The first index that no leaf has. */
  firstFree(): number {
    for (let number = 0; ; number += 1) {
      const page = this.#pages.get(number);
      const at = page instanceof Uint8Array ? -1 : (page?.places.indexOf(0) ?? 0);
      if (at >= 0) return number * LEAVES_OF_PAGE + at;
    }
  }

  /** The roots of the trees of the first leaves, of as many as there are, by these sizes, which were announced. */
  rootsAt(sizes: Iterable<number>): Map<number, Uint8Array> {
    const pages = new RightEdge(0, [], this.sha);
    const roots = new Map<number, Uint8Array>();
    for (const size of [...new Set(sizes)].sort((one, other) => one - other)) {
      while (pages.size < pageNumber(size)) pages.append(this.#rootOf(pages.size));
      const edge = new RightEdge(pages.size * LEAVES_OF_PAGE, pages.hashes, this.sha);
      for (const leaf of this.#leavesOf(pageNumber(size), size % LEAVES_OF_PAGE)) edge.append(leaf);
      roots.set(size, edge.root());
    }
    return roots;
  }

  #rootOf(number: number): Uint8Array {
    const page = this.#pages.get(number);
    return page instanceof Uint8Array ? page : rootOf(this.#leavesOf(number, LEAVES_OF_PAGE), this.sha);
  }

  #leavesOf(number: number, count: number): Uint8Array[] {
    if (count === 0) return [];
    const page = this.#pages.get(number);
    if (!page || page instanceof Uint8Array) throw new RangeError(`the leaves of page ${number} are not there`);
    return hashesIn(page, count);
  }

  #make(number: number): LeafPage {
    const made = {
      hashes: new Uint8Array(FIRST_CAPACITY * HASH_BYTES),
      places: new Uint16Array(LEAVES_OF_PAGE),
      count: 0,
    };
    this.#pages.set(number, made);
    return made;
  }
}

/** The number of the page that a leaf is in. */
function pageNumber(index: number): number {
  return Math.floor(index / LEAVES_OF_PAGE);
}

function hashesIn({ hashes, places }: LeafPage, count: number): Uint8Array[] {
  return Array.from(places.subarray(0, count), (place) =>
    hashes.subarray((place - 1) * HASH_BYTES, place * HASH_BYTES),
  );
}

function grown(hashes: Uint8Array): Uint8Array {
  const twice = new Uint8Array(2 * hashes.length);
  twice.set(hashes);
  return twice;
}
