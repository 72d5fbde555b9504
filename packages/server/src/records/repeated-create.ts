import type { RecordEnvelope } from '@countersign/protocol';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../service.js';
import type { Write } from '../store/write.js';
import type { VerifiedProof } from './proofs.js';

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
  const made = JSON.parse(first.body) as RecordEnvelope;
  const client = made.meta.proofs.filter((proof) => proof.signer !== 'system' || proof.public !== ledger.system.public);
  const same =
    made.hash === hash &&
    client.length === proofs.length &&
    client.every((proof, index) => proof.result === proofs[index]?.result && proof.public === proofs[index]?.public);
  return same ? record.body : undefined;
}
