import type { Session } from '../ledgers/session.js';
import { proofReused } from '../ledgers/session.js';
import { type ClientProofs, usesOfProofs } from '../records/proofs.js';

/**
 * Checks early what the commit checks again: what a bridge has once taken cannot be rolled back.
 *
 * @param luid of the record that the proofs are for
 * @throws `record.invalid` when one of them was used for another record
 */
export async function assertProofsUnused(
  session: Session,
  { proofs }: { readonly proofs: Pick<ClientProofs, 'signed'> },
  luid: string,
): Promise<void> {
  const uses = usesOfProofs(session, proofs);
  const veiled = uses.map(session.ledger.veil);
  const used = await session.store.usedProofs({ ledger: session.ledger.id, proofs: uses, veiled });
  if (used.some((other) => other !== luid)) throw proofReused();
}
