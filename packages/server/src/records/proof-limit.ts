import { LedgerError } from '@countersign/protocol';
import { limits } from '../limits.js';

export function tooManyProofs(): LedgerError {
  return new LedgerError('record.invalid', `Record proofs limit of ${limits.proofs} exceeded`);
}

/**
 * @throws `record.invalid` when a record would carry too many proofs, those of the ledger counted
 *   (interface/records#add-a-proof, interface/limits)
 */
export function assertProofs(proofs: readonly unknown[]): void {
  if (proofs.length > limits.proofs) throw tooManyProofs();
}
