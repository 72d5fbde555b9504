import type { StoredProof } from '@countersign/protocol';

/** Public keys of a ledger's own signers (interface/signers#signers-of-the-ledger), base64. */
export interface LedgerKeys {
  readonly system: string;
  readonly core: string;
  /** Of `system.auth`. */
  readonly auth: string;
}

/** Who made a proof: one of the ledger's own signers, or anybody else. */
export type Author = 'system' | 'core' | 'auth' | 'client';

/** Told by the key alone: what a proof says of its signer is outside the signature. */
export function authorOf(keys: LedgerKeys, proof: Pick<StoredProof, 'public'>): Author {
  if (proof.public === keys.system) return 'system';
  if (proof.public === keys.core) return 'core';
  return proof.public === keys.auth ? 'auth' : 'client';
}

/**
 * What is wrong with the members of a proof that are outside its signature (interface/proofs#proofs-as-served). Whether
 * the signer that a client's proof names has had that key is looked at when all signers are known.
 */
export function attributionDefect(keys: LedgerKeys, kind: string, proof: StoredProof): string | undefined {
  const { signer, origin, issuer } = proof;
  const author = authorOf(keys, proof);
  // The signers of a new ledger sign their own records (interface/ledgers#birth-records).
  if (kind === 'signer' && signer === undefined && origin === undefined && issuer === undefined) return undefined;
  if (author === 'auth') {
    if (origin === undefined || origin === 'key-pair') return 'is by system.auth, and does not say for which token';
    return signer === undefined ? 'is by system.auth, and does not say for whom' : undefined;
  }
  if (origin !== undefined && origin !== 'key-pair') return `says ${origin}, and is not by system.auth`;
  if (issuer !== undefined) return 'names an issuer, and is not by system.auth';
  if (author === 'client') return undefined;
  return signer === undefined || signer === author ? undefined : `is by ${author}, and names ${signer}`;
}
