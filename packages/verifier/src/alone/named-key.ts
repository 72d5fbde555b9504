import type { StoredProof } from '@countersign/protocol';

/**
 * The key that proofs name as that of one of the ledger's own signers, which the reader may not be allowed to read; empty where none
 * does. Names are outside the signatures.
 */
export function namedKey(proofs: readonly StoredProof[], signer: 'core' | 'system.auth'): string {
  return proofs.find((proof) => proof.signer === signer)?.public ?? '';
}
