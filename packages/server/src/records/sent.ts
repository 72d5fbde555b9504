import { hash as hashOf, isObject, type Json } from '@countersign/protocol';
import type { Token } from '../auth/token.js';
import { isOwn, type Ledger } from '../ledgers/ledger.js';
import type { Service } from '../service.js';
import type { SentRecord } from './bodies.js';
import { clientProofs, verifiedHash } from './proofs.js';
import type { Signed } from './trail.js';

/**
 * A body whose client leaves the hashing to the ledger, completed. Only a caller with a token may: without one, whoever
 * sends a body has to vouch for it (contract 03 §4.4, token-only mutations).
 */
export function hashedFor(service: Service, body: Json | undefined, token: Token | undefined): Json | undefined {
  if (!token || !isObject(body) || body.hash !== undefined || body.data === undefined) return body;
  return { hash: hashOf(body.data, service.suite), ...body };
}

/**
 * Hash and proofs of a sent record, verified (contract 01 §12, Order of checks 6 to 8). By what the ledger itself has
 * signed, whoever sends it has signed nothing.
 *
 * @throws `crypto.hash-invalid`, `crypto.signature-missing`, `crypto.signature-invalid`
 */
export function signedBy(service: Service, ledger: Ledger, sent: SentRecord, token: Token | undefined): Signed {
  const hash = verifiedHash(service, sent);
  const { signed, partial } = clientProofs(service, hash, sent, token !== undefined);
  return { hash, proofs: { signed: signed.filter((proof) => !isOwn(ledger, proof.public)), partial }, token };
}
