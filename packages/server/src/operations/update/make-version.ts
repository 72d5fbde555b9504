import type { Meta } from '@countersign/protocol';
import type { Caller } from '../../access/caller.js';
import { clientTrail } from '../../authorization/trail.js';
import type { Session } from '../../ledgers/session.js';
import { applyLabels, withLabels } from '../../records/labels.js';
import { assertProofs } from '../../records/proof-limit.js';
import { customsOf } from '../../records/proofs.js';
import type { Update } from './verify.js';

/**
 * Makes the `meta` of the next version. Kept: status, owners, domain, and labels except those that the proofs change.
 * Replaced: the proofs, by the new ones of the client and the ledger (interface/records#update,
 * interface/records#add-a-proof).
 *
 * @throws `record.invalid` when it would have more proofs than a record may
 */
export async function makeMeta(
  session: Session,
  { kind, signed }: Update,
  luid: string,
  previous: Meta,
  caller: Caller,
): Promise<Meta> {
  const now = session.moment(previous);
  const proofs = [
    ...(await clientTrail(session, kind, signed, caller, now)),
    session.ledger.system.stored(signed.hash, { luid, moment: now }),
  ];
  assertProofs(session, proofs);
  return withLabels({ ...previous, proofs, moment: now }, applyLabels(previous.labels, customsOf(signed.proofs)));
}
