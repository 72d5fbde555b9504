import { LOG_BOUNDS } from './bounds.js';
import { emptyRoot, HASH_BYTES, isSame, nodeHash, portableSha256, type Sha256 } from './hashing.js';

/** That a leaf is in a tree. Hashes have 32 bytes. */
export interface InclusionClaim {
  /** The hash of the leaf. */
  readonly leaf: Uint8Array;
  /** The position of the leaf, from 0. */
  readonly index: number;
  /** Leaves of the tree. */
  readonly size: number;
  readonly root: Uint8Array;
  /** The hashes of the proof, those nearest to the leaf first. */
  readonly proof: readonly Uint8Array[];
}

/** That a tree begins with the leaves of an older one. Hashes have 32 bytes. */
export interface ConsistencyClaim {
  /** Leaves of the older tree. */
  readonly old: number;
  readonly oldRoot: Uint8Array;
  /** Leaves of the newer tree. */
  readonly size: number;
  readonly root: Uint8Array;
  /** The hashes of the proof, in the order of RFC 6962 §2.1.2. */
  readonly proof: readonly Uint8Array[];
}

/** Whether the proof of inclusion holds (RFC 9162 §2.1.3.2). False for malformed input instead of throwing. */
export function checkInclusion(claim: InclusionClaim, sha: Sha256 = portableSha256): boolean {
  const { leaf, index, size, root, proof } = claim;
  if (!isSize(index) || !isSize(size) || index >= size || !areHashes(leaf, root, ...proof)) return false;
  const path = new AuditPath(index, size - 1);
  let hash = leaf;
  for (const sibling of proof) {
    if (path.isAtRoot) return false;
    hash = path.next() === 'left' ? nodeHash(sibling, hash, sha) : nodeHash(hash, sibling, sha);
    path.rise();
  }
  return path.isAtRoot && isSame(hash, root);
}

/**
 * Whether the proof of consistency holds (RFC 9162 §2.1.4.2). Trees of the same size have the same root and an empty
 * proof; the tree without leaves is the beginning of all, with an empty proof. False for malformed input instead of throwing.
 */
export function checkConsistency(claim: ConsistencyClaim, sha: Sha256 = portableSha256): boolean {
  const { old, oldRoot, size, root, proof } = claim;
  if (!isSize(old) || !isSize(size) || old > size || !areHashes(oldRoot, root, ...proof)) return false;
  if (size === 0 && !isSame(root, emptyRoot())) return false;
  if (old === size) return proof.length === 0 && isSame(oldRoot, root);
  if (old === 0) return proof.length === 0 && isSame(oldRoot, emptyRoot());
  const hashes = isPowerOfTwo(old) ? [oldRoot, ...proof] : [...proof];
  const [first, ...rest] = hashes;
  if (first === undefined || rest.length === 0) return false;
  const path = new AuditPath(old - 1, size - 1);
  path.skipRights();
  let older = first;
  let newer = first;
  for (const hash of rest) {
    if (path.isAtRoot) return false;
    if (path.next() === 'left') {
      older = nodeHash(hash, older, sha);
      newer = nodeHash(hash, newer, sha);
    } else {
      newer = nodeHash(newer, hash, sha);
    }
    path.rise();
  }
  return path.isAtRoot && isSame(older, oldRoot) && isSame(newer, root);
}

/** The way from a leaf up to the root, past the levels where the tree's edge has no sibling. */
class AuditPath {
  #at: number;
  #last: number;

  /** `at` is the position of the leaf, `last` that of the tree's last one. */
  constructor(at: number, last: number) {
    this.#at = at;
    this.#last = last;
  }

  get isAtRoot(): boolean {
    return this.#last === 0;
  }

  /** The side of the next sibling, after rising past the levels that have none. */
  next(): 'left' | 'right' {
    if (this.#at % 2 === 1) return 'left';
    if (this.#at !== this.#last) return 'right';
    while (this.#at % 2 === 0 && this.#at !== 0) this.rise();
    return 'left';
  }

  /** Rises to the root of the greatest complete subtree that ends here. */
  skipRights(): void {
    while (this.#at % 2 === 1) this.rise();
  }

  rise(): void {
    this.#at = Math.floor(this.#at / 2);
    this.#last = Math.floor(this.#last / 2);
  }
}

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function isPowerOfTwo(value: number): boolean {
  return 2 ** Math.round(Math.log2(value)) === value;
}

function areHashes(...hashes: readonly Uint8Array[]): boolean {
  return hashes.length <= LOG_BOUNDS.hashes + 2 && hashes.every(({ length }) => length === HASH_BYTES);
}
