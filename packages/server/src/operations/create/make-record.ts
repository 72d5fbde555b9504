import type { Meta, RecordEnvelope } from '@countersign/protocol';
import type { Caller } from '../../access/caller.js';
import { clientTrail } from '../../authorization/trail.js';
import type { UnsignedProof } from '../../keys/signing-key.js';
import type { Kind, KindName } from '../../kinds/kind.js';
import type { Session } from '../../ledgers/session.js';
import { readRecord } from '../../metering/task.js';
import { assertProofs } from '../../records/proof-limit.js';
import { sortMembers } from '../../records/serve.js';
import type { CompletedData } from '../generated-data.js';
import type { Placement } from './place.js';
import type { Creation } from './verify.js';

/**
 * Makes the record as it will be served: the client's proofs, then the ledger's (interface/envelope#meta).
 *
 * @param completion the data as the ledger completed it
 * @throws `record.invalid` when it would have more proofs than a record may
 */
export async function makeRecord(
  session: Session,
  { kind, data: sent, signed, labels, luid }: Creation,
  caller: Caller,
  { owners, domain }: Placement,
  completion: CompletedData | undefined,
): Promise<RecordEnvelope> {
  const { data, hash } = completion ?? { data: sent, hash: signed.hash };
  const now = session.moment();
  const trail = kind.trail.created ?? [{ status: 'created', luid: true }];
  const unsigned = completion
    ? []
    : trail.map(({ status, luid: named }) =>
        session.ledger.system.unsigned(hash, { ...(named ? { luid } : {}), moment: now, status }),
      );
  const meta: Meta = {
    proofs: completion
      ? [session.ledger.system.stored(hash, { luid, moment: now })]
      : [...(await clientTrail(session, kind, signed, caller, now)), ...unsigned.map(({ proof }) => proof)],
    status: kind.lifecycle.initialStatus ?? 'created',
    ...(await kind.lifecycle.meta?.(data, {
      random: session.runtime.random,
      domainOf: (kind, handle) => lookUpDomain(session, kind, handle),
    })),
    moment: now,
    owners: completion ? [] : owners,
    labels,
    domain,
  };
  assertProofs(session, meta.proofs);
  await signRecord(session, kind, unsigned);
  const served = kind.data.served?.(data, domain) ?? data;
  return { hash, data: sortMembers(kind, served), luid, meta };
}

/** Those of an intent are signed together with others: the main thread bounds how many are settled. */
async function signRecord(
  { ledger, signatures, suite }: Session,
  kind: Kind,
  unsigned: readonly UnsignedProof[],
): Promise<void> {
  if (kind.lifecycle.isProcessed) await signatures.sign(ledger.id, unsigned);
  else {
    for (const { proof, key } of unsigned) {
      proof.result = Buffer.from(suite.sign(Buffer.from(proof.digest, 'hex'), key.secret)).toString('base64');
    }
  }
}

async function lookUpDomain(session: Session, kind: KindName, handle: string): Promise<string | undefined> {
  const { id, domains } = session.ledger;
  // A domain is never dropped, so where there is none no record is in one.
  if (domains.size === 0) return undefined;
  const { record } = await session.store.findVersion({ ledger: id, kind, id: handle, by: 'handle' });
  // An intent names many wallets, and each may be large.
  return record && (await readRecord(session.task, record.body)).meta.domain;
}
