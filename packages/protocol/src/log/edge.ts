import { emptyRoot, HASH_BYTES, joinRight, nodeHash, portableSha256, type Sha256 } from './hashing.js';
import { whole } from './text.js';

/**
 * The right edge of a tree (RFC 6962 §2.1): the roots of its greatest complete subtrees, from the left. It is all that
 * adding leaves takes, and has at most 53 hashes.
 */
export class RightEdge {
  #size: number;
  readonly #hashes: Uint8Array[];
  readonly #sha: Sha256;

  /**
   * @param size leaves of the tree
   * @param hashes the roots of 32 bytes, the greatest subtree first: one for each bit that is set in `size`
   * @throws RangeError unless their number fits
   */
  constructor(size = 0, hashes: readonly Uint8Array[] = [], sha: Sha256 = portableSha256) {
    let subtrees = 0;
    for (let rest = whole(size, 'size'); rest > 0; rest = Math.floor(rest / 2)) subtrees += rest % 2;
    if (hashes.length !== subtrees || hashes.some(({ length }) => length !== HASH_BYTES)) {
      throw new RangeError(`the edge of a tree of ${size} leaves has ${subtrees} hashes`);
    }
    this.#size = size;
    this.#hashes = [...hashes];
    this.#sha = sha;
  }

  /** Leaves of the tree. */
  get size(): number {
    return this.#size;
  }

  /** The roots of the greatest complete subtrees, from the left: with the size, what an edge is made of again. */
  get hashes(): readonly Uint8Array[] {
    return [...this.#hashes];
  }

  /** Adds a leaf by its hash. @throws RangeError unless that has 32 bytes */
  append(leaf: Uint8Array): void {
    if (leaf.length !== HASH_BYTES) throw new RangeError('a hash has 32 bytes');
    let hash = leaf;
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2)
      hash = nodeHash(this.#hashes.pop()!, hash, this.#sha);
    this.#hashes.push(hash);
    this.#size++;
  }

  /** The root of the tree, 32 bytes. */
  root(): Uint8Array {
    return this.#size === 0 ? emptyRoot() : joinRight(this.#hashes, this.#sha);
  }
}

/** The root of the tree whose leaves have these hashes of 32 bytes (RFC 6962 §2.1). */
export function rootOf(leaves: Iterable<Uint8Array>, sha: Sha256 = portableSha256): Uint8Array {
  const edge = new RightEdge(0, [], sha);
  for (const leaf of leaves) edge.append(leaf);
  return edge.root();
}
