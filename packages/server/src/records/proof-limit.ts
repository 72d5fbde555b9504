import { LedgerError } from '@countersign/protocol';
import type { Service } from '../ledgers/service.js';

export function tooManyProofs({ recordProofs }: Service): LedgerError {
  return new LedgerError('record.invalid', `Record proofs limit of ${recordProofs} exceeded`);
}

/**
 * @throws `record.invalid` when a record would carry too many proofs, those of the ledger counted
 *   (interface/records#add-a-proof, interface/limits)
 */
export function assertProofs(service: Service, proofs: readonly unknown[]): void {
  if (proofs.length > service.recordProofs) throw tooManyProofs(service);
}
