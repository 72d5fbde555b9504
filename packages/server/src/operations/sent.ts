import { hash as hashOf, isObject, type Json } from '@countersign/protocol';
import type { Token } from '../auth/token.js';
import type { Kind } from '../kinds/kind.js';
import { isOwn, type Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import type { SentRecord } from './bodies.js';
import { assertMeant } from '../records/meant.js';
import { clientProofs, customsOf, verifiedHash } from '../records/proofs.js';
import type { Signed } from '../authorization/trail.js';

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
 * @param kind of the record the request is about
 * @throws `crypto.hash-invalid`, `crypto.signature-missing`, `crypto.signature-invalid`; `record.invalid` for a proof that
 *   was meant for something else
 */
export function signedBy(
  service: Service,
  ledger: Ledger,
  kind: Kind,
  sent: SentRecord,
  token: Token | undefined,
): Signed {
  const hash = verifiedHash(service, sent);
  const sentProofs = clientProofs(service, hash, sent, token !== undefined);
  assertMeant(ledger, kind, customsOf(sentProofs));
  const { signed, partial } = sentProofs;
  return { hash, proofs: { signed: signed.filter((proof) => !isOwn(ledger, proof.public)), partial }, token };
}
