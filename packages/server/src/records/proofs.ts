import {
  hash as hashOf,
  type Json,
  type JsonObject,
  LedgerError,
  type StoredProof,
  verifyProof,
} from '@countersign/protocol';
import type { CallerKey } from '../access/caller.js';
import type { Service } from '../ledgers/service.js';
import { hintOnHash, hintOnProof } from './hints.js';
import { tooManyProofs } from './proof-rules.js';
import type { SentProof, SentRecord } from './sent-record.js';

/** A proof whose signature was verified. */
export interface VerifiedProof {
  readonly method: string;
  readonly public: string;
  readonly digest: string;
  readonly result: string;
  readonly custom?: SentProof['custom'];
}

/**
 * The hash of a sent record, in lower case.
 *
 * @throws `crypto.hash-invalid` when the sent hash differs from that of `data` (interface/errors#details)
 */
export function verifyHash(service: Service, body: SentRecord): string {
  const hash = hashOf(body.data as Json, service.suite);
  if (body.hash.toLowerCase() !== hash) {
    const hint = hintOnHash(body.hash.toLowerCase(), body.data as JsonObject, service.suite);
    throw new LedgerError('crypto.hash-invalid', `Invalid record hash: ${body.hash}`, withHint(hint));
  }
  return hash;
}

function withHint(hint: string | undefined): { hint: string } | undefined {
  return hint === undefined ? undefined : { hint };
}

/** The proofs of a sent record: the signed ones, verified, and the content of the partial ones. */
export interface ClientProofs {
  readonly signed: readonly VerifiedProof[];
  /** `custom` of the proofs that leave the signing to the caller's token. */
  readonly partial: readonly SentProof['custom'][];
}

/** The `custom` of a client's proofs: of the signed ones in their order, then of the partial ones. */
export function customsOf({ signed, partial }: ClientProofs): SentProof['custom'][] {
  return [...signed.map(({ custom }) => custom), ...partial];
}

/**
 * The proofs of a sent record, the signed ones verified over `hash`.
 *
 * @param mayBeUnsigned whether the request has a token that may stand in for a signature
 * @throws `crypto.signature-missing` when all proofs are unsigned, `crypto.signature-invalid` for the first one that
 *   does not verify, `record.invalid` for more than a record carries (interface/errors#details, interface/limits)
 */
export function clientProofs(service: Service, hash: string, body: SentRecord, mayBeUnsigned: boolean): ClientProofs {
  const sent = body.meta?.proofs ?? [];
  const signed = sent.filter(isSigned);
  if (signed.length === 0 && !mayBeUnsigned) {
    throw signatureMissing();
  }
  if (sent.length > service.recordProofs) throw tooManyProofs(service);
  return {
    signed: signed.map((proof) => verifySentProof(service, hash, proof)),
    partial: sent.filter((proof) => !isSigned(proof)).map((proof) => proof.custom),
  };
}

/** @throws `crypto.signature-invalid` when the proof does not verify over `hash` (interface/records#add-a-proof) */
export function verifySentProof(service: Service, hash: string, proof: SentProof): VerifiedProof {
  const { method = '', public: key = '', digest = '', result = '', custom } = proof;
  // Hex of either case is the same digest; it is kept in lower case.
  const verified = {
    method,
    public: key,
    digest: digest.toLowerCase(),
    result,
    custom,
  };
  if (!verifyProof(hash, verified as Parameters<typeof verifyProof>[1], service.suite)) {
    const hint = hintOnProof(hash, proof, service.suite);
    throw new LedgerError('crypto.signature-invalid', `Invalid signature for key: ${key}`, withHint(hint));
  }
  return verified;
}

/** The members that identify a proof: the others are within what was signed, or are the ledger's. */
type Signature = Pick<StoredProof, 'public' | 'result'>;

/** Whether two proofs are the same: the same key made the same signature. */
export function isSameProof(one: Signature, other: Signature | undefined): boolean {
  return one.result === other?.result && one.public === other.public;
}

/** Hex digits of `useOf`. */
const USE_DIGITS = 32;

/**
 * Identifies what a client signed, whatever record it came with: 128 bits of a hash over digest and key, as hex. The
 * signature is left out, as a key may make several over one digest.
 */
export function useOf(
  { suite }: Pick<Service, 'suite'>,
  { digest, public: key }: Pick<StoredProof, 'digest' | 'public'>,
): string {
  return suite.sha256(digest + key).slice(0, USE_DIGITS);
}

/** `useOf` of all that a client signed, each once. */
export function usesOfProofs(service: Service, { signed }: Pick<ClientProofs, 'signed'>): string[] {
  return [...new Set(signed.map((proof) => useOf(service, proof)))];
}

/** The error for an unsigned write (interface/errors#details). */
export function signatureMissing(): LedgerError {
  return new LedgerError('crypto.signature-missing', 'Ledger mutations must be signed.');
}

/**
 * Whether a proof has any of the signing members. One that has none of them leaves the signing to the caller's token
 * (interface/tokens#token-only-writes).
 */
export function isSigned(proof: SentProof): boolean {
  return proof.method !== undefined || proof.public !== undefined || proof.result !== undefined;
}

/**
 * A client's proof as it is stored: members in the recorded order, `signer` when a signer record owns the key
 * (interface/proofs#proofs-as-served).
 */
export function toStoredProof(proof: VerifiedProof, key: CallerKey | undefined, origin: boolean): StoredProof {
  const { custom, digest, method, result } = proof;
  const signer = key?.signer?.handle ?? key?.retired;
  return {
    custom: custom as JsonObject | undefined,
    digest,
    method,
    ...(origin ? { origin: 'key-pair' as const } : {}),
    public: proof.public,
    result,
    signer,
  };
}
