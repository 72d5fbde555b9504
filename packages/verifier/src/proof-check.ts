import { type StoredProof, type Suite, verifyProof } from '@countersign/protocol';
import { isSameJson } from './json/same-json.js';

/** Verifies proofs over hashes. */
export interface ProofCheck {
  /** Whether the proof signs the hash. */
  isValid(hash: string, proof: StoredProof): boolean;
  /** Whether the proof of the record that is looked at signs what it was last asked for. */
  isKnown(proof: StoredProof): boolean;
  /** Signatures that were verified. */
  readonly verified: number;
  /** Ends a record: the next one shares no proofs with it. */
  forget(): void;
}

interface KnownProof {
  readonly hash: string;
  readonly proof: StoredProof;
  readonly isValid: boolean;
}

/**
 * Versions of a record repeat the proofs of those before. One that has the signature of another is compared as a whole, so
 * that a signature that was seen before with other content is verified anew.
 */
export function createProofCheck(suite: Suite): ProofCheck {
  const known = new Map<string, KnownProof>();
  let verified = 0;
  return {
    isValid(hash, proof) {
      const before = known.get(proof.result);
      if (before && before.hash === hash && isSameJson(before.proof, proof)) return before.isValid;
      verified += 1;
      const isValid = verifyProof(hash, proof, suite);
      known.set(proof.result, { hash, proof, isValid });
      return isValid;
    },
    isKnown(proof) {
      const before = known.get(proof.result);
      return before?.isValid === true && isSameJson(before.proof, proof);
    },
    get verified() {
      return verified;
    },
    forget() {
      known.clear();
    },
  };
}
