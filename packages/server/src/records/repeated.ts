import { isLuid, LedgerError, type RecordEnvelope } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import { isOwn, type Ledger } from '../ledgers/ledger.js';
import type { Service } from '../service.js';
import type { Write } from '../store/write.js';
import { stepsOfText } from '../work/task.js';
import { asked, authorize } from './authorize.js';
import { writer } from './caller.js';
import { isSameProof, type VerifiedProof } from './proofs.js';
import type { Request } from './request.js';
import { type Dropped, droppedRecord } from './stored.js';
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
  return made.hash === hash && areSame(ledger, made.meta.proofs, proofs) ? record.body : undefined;
}

/**
 * Whether the data of a record is what this very update made it, sent again by a client that lost the answer: the same
 * hash and the same signatures. Proofs that were added since change nothing about that.
 */
export function madeIt(ledger: Ledger, { hash, meta }: RecordEnvelope, { hash: sent, proofs }: Signed): boolean {
  return hash === sent && areSame(ledger, meta.proofs, proofs.signed);
}

/**
 * Whether the record that a drop asks for is gone because of this very drop, sent again by a client that lost the answer.
 * Only who could drop the record still is told so: to all others it is as if it had never been.
 *
 * @param luid as sent; the path must name the record too
 */
export async function repeatedDrop(
  service: Service,
  ledger: Ledger,
  kind: Kind,
  request: Request,
  luid: string,
  signed: Signed,
): Promise<boolean> {
  if (!isLuid(luid, kind.prefix)) return false;
  const dropped = await droppedRecord(service, ledger, kind, request, luid);
  if (!dropped) return false;
  const { record, before } = dropped;
  if (!areSame(ledger, record.meta.proofs.slice(before.meta.proofs.length), signed.proofs.signed)) return false;
  return mayDrop(service, ledger, kind, dropped, signed);
}

async function mayDrop(
  service: Service,
  ledger: Ledger,
  kind: Kind,
  { before, ...stored }: Dropped,
  { proofs, token }: Signed,
): Promise<boolean> {
  const caller = await writer(service, ledger, proofs.signed, token, false);
  try {
    await authorize(service, ledger, caller, asked('drop', kind, { ...stored, record: before }));
    return true;
  } catch (error) {
    if (error instanceof LedgerError) return false;
    throw error;
  }
}

/**
 * Whether proofs of a version begin with exactly those of the client. After the client's come the ledger's, and then there
 * may be those of a bridge (contract 02 §4) and what was added later.
 */
function areSame(ledger: Ledger, stored: RecordEnvelope['meta']['proofs'], sent: readonly VerifiedProof[]): boolean {
  const own = stored.findIndex((proof) => isOwn(ledger, proof.public));
  const client = own < 0 ? stored : stored.slice(0, own);
  return (
    sent.length > 0 && client.length === sent.length && client.every((proof, index) => isSameProof(proof, sent[index]))
  );
}
