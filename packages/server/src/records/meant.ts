import { type Json, LedgerError } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { SentProof } from './sent.js';

/**
 * Holds proofs to the purpose their signer gave them: `custom.ledger` names a ledger by handle or luid, `custom.record`
 * a kind of record. A proof that gives neither counts for every record with the same hash.
 *
 * @param ledger a new one still lacks its luid
 * @throws `record.invalid` for a proof that was meant for another ledger or another kind
 */
export function assertMeant(
  { handle, luid }: Pick<Ledger, 'handle'> & Partial<Pick<Ledger, 'luid'>>,
  kind: Kind,
  customs: readonly SentProof['custom'][],
): void {
  for (const custom of customs) {
    const ledger: Json | undefined = custom?.ledger;
    if (ledger !== undefined && ledger !== handle && ledger !== luid) {
      throw new LedgerError('record.invalid', 'Ledger in the proof does not match the ledger of the request');
    }
    if (custom?.record !== undefined && custom.record !== kind.name) {
      throw new LedgerError('record.invalid', 'Record in the proof does not match the record of the request');
    }
  }
}
