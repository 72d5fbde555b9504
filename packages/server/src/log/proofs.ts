import { consistencyProof, inclusionProof, tilesForConsistency, tilesForInclusion } from '@countersign/protocol/log';
import { sha256 } from '../base/sha256.js';
import type { Queryable } from '../store/queries/statement.js';
import { tilesForProof } from './read-tiles.js';

/** Proofs about the tree of a log. Hashes have 32 bytes. */
export interface Proofs {
  /** The proof that the tree of `size` leaves has the leaf at `index`. */
  inclusion(ledger: number, index: number, size: number): Promise<Uint8Array[]>;
  /** The proof that the tree of `size` leaves begins with that of `old` leaves. */
  consistency(ledger: number, old: number, size: number): Promise<Uint8Array[]>;
}

/** Makes proofs of the tiles that are stored. */
export function createProofs(on: Queryable): Proofs {
  return {
    async inclusion(ledger, index, size) {
      const read = await tilesForProof(on, ledger, tilesForInclusion(index, size));
      return inclusionProof(index, size, read, sha256);
    },
    async consistency(ledger, old, size) {
      const read = await tilesForProof(on, ledger, tilesForConsistency(old, size));
      return consistencyProof(old, size, read, sha256);
    },
  };
}
