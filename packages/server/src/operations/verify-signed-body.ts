import type { Token } from '../auth/token.js';
import type { ClientSignature } from '../authorization/caller.js';
import type { Kind } from '../kinds/kind.js';
import { isLedgerKey } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';
import { assertMoments, assertNamesLedger, assertProofBinding } from '../records/proof-rules.js';
import { clientProofs, customsOf, verifyHash } from '../records/proofs.js';
import type { SentRecord } from '../records/sent-record.js';

/**
 * Hash and proofs of a sent record, verified (interface/records#order-of-checks). Proofs by the ledger's own keys are
 * dropped: every reader of a record can copy them.
 *
 * @param kind of the record the request is about
 * @throws `crypto.hash-invalid`, `crypto.signature-missing`, `crypto.signature-invalid`; `record.invalid` for a proof that
 *   was meant for something else, or whose moment is none
 */
export async function verifySignedBody(
  session: Session,
  kind: Kind,
  sent: SentRecord,
  token: Token | undefined,
): Promise<ClientSignature> {
  await session.task.turn();
  return verifyProofs(session, kind, verifyHash(session, sent), sent, token);
}

/** The second half of `verifySignedBody`. @param hash of the sent record, verified */
export function verifyProofs(
  session: Session,
  kind: Kind,
  hash: string,
  sent: SentRecord,
  token: Token | undefined,
): ClientSignature {
  const sentProofs = clientProofs(session, hash, sent, token !== undefined);
  assertProofBinding(session.ledger, kind, customsOf(sentProofs));
  assertMoments(session, customsOf(sentProofs));
  const { partial } = sentProofs;
  const signed = sentProofs.signed.filter((proof) => !isLedgerKey(session, proof.public));
  assertNamesLedger(
    session.ledger,
    signed.map(({ custom }) => custom),
  );
  return { hash, proofs: { signed, partial }, token };
}
