import type { StoredProof } from '@countersign/protocol';
import { AnswerError } from './errors.js';

/** Anything signed: `hash`, `data` and `meta` with proofs (interface/envelope). */
export interface Signed {
  readonly hash: string;
  readonly data: Record<string, unknown>;
  readonly luid: string;
  readonly meta: { readonly proofs: readonly StoredProof[]; readonly [member: string]: unknown };
}

/** A list: its items are of any shape until they are looked at. */
export interface SignedList extends Omit<Signed, 'data'> {
  readonly data: readonly unknown[];
  readonly page?: { readonly index: number; readonly limit: number; readonly total?: number };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws AnswerError `form` unless the value has the members of what is signed */
export function assertEnvelope(value: unknown): Signed & SignedList {
  if (!isObject(value) || typeof value.hash !== 'string' || !isObject(value.meta)) {
    throw new AnswerError('form', 'The answer is not a signed one');
  }
  const { proofs = [] } = value.meta;
  if (!Array.isArray(proofs) || !proofs.every(isObject)) throw new AnswerError('form', 'The proofs are malformed');
  return { ...value, meta: { ...value.meta, proofs } } as unknown as Signed & SignedList;
}
