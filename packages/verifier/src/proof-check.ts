import { type StoredProof, type Suite, verifyProof } from '@countersign/protocol';
import { textOf } from './version.js';

/** Verifies proofs over hashes. */
export interface ProofCheck {
  /** Whether the proof signs the hash. */
  isValid(hash: string, proof: StoredProof): boolean;
  /** Signatures that were verified. */
  readonly verified: number;
  /** Ends a record: the next one shares no proofs with it. */
  forget(): void;
}

/**
 * Versions of a record repeat the proofs of those before. The whole proof is the key of the cache, so that one whose
 * signature was seen before with other content is verified anew.
 */
export function createProofCheck(suite: Suite): ProofCheck {
  const known = new Map<string, boolean>();
  let verified = 0;
  return {
    isValid(hash, proof) {
      const key = hash + textOf(proof);
      const before = known.get(key);
      if (before !== undefined) return before;
      verified += 1;
      const isValid = verifyProof(hash, proof, suite);
      known.set(key, isValid);
      return isValid;
    },
    get verified() {
      return verified;
    },
    forget() {
      known.clear();
    },
  };
}
