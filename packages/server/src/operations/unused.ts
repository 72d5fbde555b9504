import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import { type ClientProofs, reused, usesOf } from '../records/proofs.js';

/**
 * Looks before a bridge is asked what the commit decides: a bridge cannot be asked to forget.
 *
 * @param luid of the record that the proofs are for
 * @throws `record.invalid` when one of them was used for another record
 */
export async function assertUnused(
  service: Service,
  ledger: Ledger,
  { proofs }: { readonly proofs: Pick<ClientProofs, 'signed'> },
  luid: string,
): Promise<void> {
  const used = await service.store.usedProofs({ ledger: ledger.id, proofs: usesOf(service, proofs) });
  if (used.some((other) => other !== luid)) throw reused();
}
