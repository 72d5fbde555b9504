import { HASH_BYTES, nodeHash, portableSha256, type Sha256 } from './hashing.js';

/**
 * A tile with all nodes above its hashes, so that proofs take no more hashing: the roots of its complete subtrees, level by
 * level. They never change: a full tile is final, and of one that grows this is the beginning.
 */
export class TileNodes {
  /** From the lowest level up: the hashes of its nodes, 32 bytes each. */
  readonly #levels: Uint8Array[] = [];

  /**
   * @param hashes of the tile, 32 bytes each. They are kept.
   * @throws RangeError for a part of a hash
   */
  constructor(hashes: Uint8Array, sha: Sha256 = portableSha256) {
    if (hashes.length % HASH_BYTES > 0) throw new RangeError('a hash has 32 bytes');
    for (let below = hashes; below.length > 0; ) {
      this.#levels.push(below);
      const level = new Uint8Array(Math.floor(below.length / (2 * HASH_BYTES)) * HASH_BYTES);
      for (let at = 0; at < level.length; at += HASH_BYTES) {
        const left = below.subarray(2 * at, 2 * at + HASH_BYTES);
        const right = below.subarray(2 * at + HASH_BYTES, 2 * (at + HASH_BYTES));
        level.set(nodeHash(left, right, sha), at);
      }
      below = level;
    }
  }

  /** Hashes of the tile. */
  get width(): number {
    return (this.#levels[0]?.length ?? 0) / HASH_BYTES;
  }

  /** Bytes of all nodes. */
  get bytes(): number {
    return this.#levels.reduce((sum, { length }) => sum + length, 0);
  }

  /** The root over `width` hashes from `at` on; `width` is a power of two, and `at` a multiple of it. */
  rootOf(at: number, width: number): Uint8Array {
    const start = (at / width) * HASH_BYTES;
    return this.#levels[Math.log2(width)]!.slice(start, start + HASH_BYTES);
  }
}
