import { LedgerError, type RecordEnvelope } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import { isOwn, type Ledger } from '../ledgers/ledger.js';
import type { Service } from '../service.js';
import type { Write } from '../store/write.js';
import { stepsOfText } from '../work/task.js';
import { isSameProof, type VerifiedProof } from './proofs.js';
import type { Signed } from './trail.js';

/**
 * Whether a create whose key is taken is the very one that took it, sent again by a client that lost the answer
 * (contract 00, Retry safety): the same hash and the same signatures as the record's first change.
 *
 * @returns the record as it is now, or nothing
 */
export async function repeatedCreate(
  service: Service,
  ledger: Ledger,
  write: Pick<Write, 'kind' | 'key' | 'hash'>,
  proofs: readonly VerifiedProof[],
): Promise<string | undefined> {
  const { kind, key, hash } = write;
  const { record } = await service.store.lookup({ ledger: ledger.id, kind, id: key, by: 'handle' });
  if (!record) return undefined;
  const { change: first } = await service.store.history.one({ ledger: ledger.id, kind, luid: record.luid }, 1);
  if (!first) return undefined;
  await service.task.turn(stepsOfText(first.body));
  const made = JSON.parse(first.body) as RecordEnvelope;
  // The client's come first. After the ledger's there may be those of a bridge (contract 02 §4).
  const ownFrom = made.meta.proofs.findIndex((proof) => isOwn(ledger, proof.public));
  const client = made.meta.proofs.slice(0, ownFrom);
  const same =
    made.hash === hash &&
    proofs.length > 0 &&
    client.length === proofs.length &&
    client.every((proof, index) => isSameProof(proof, proofs[index]));
  return same ? record.body : undefined;
}

/**
 * Keeps what was taken back from coming back: whoever holds the signed create of a dropped record, which everyone could
 * read, must not be able to send it again. Asked of the kinds that decide on access (a membership, a policy, a factor);
 * a dropped record of another kind may be made again from the same body.
 *
 * @throws `record.invalid` when a proof of the create is one that made a record since dropped
 */
export async function assertNotResent(service: Service, ledger: Ledger, kind: Kind, signed: Signed): Promise<void> {
  if (kind.decides === 'never' || !kind.operations.includes('drop')) return;
  const dropped = await service.store.history.dropped({ ledger: ledger.id, kind: kind.name, hash: signed.hash });
  for (const body of dropped) {
    await service.task.turn(stepsOfText(body));
    const spent = (JSON.parse(body) as RecordEnvelope).meta.proofs;
    if (signed.proofs.signed.some((proof) => spent.some((one) => isSameProof(one, proof)))) {
      throw new LedgerError('record.invalid', `These proofs made a ${kind.name} that was dropped. Sign it anew.`);
    }
  }
}
