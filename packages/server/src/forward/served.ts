import type { JsonObject, Proof, StoredProof } from '@countersign/protocol';
import type { Ledger } from '../ledgers/ledger.js';
import { keyOf } from '../records/caller.js';
import { storedProof } from '../records/proofs.js';
import type { Service } from '../service.js';
import type { BridgeRecord } from './answer.js';

/**
 * A bridge's record as the ledger serves it: as it was given, but for what is said of the proofs. Whose they are is what
 * the ledger's own signers tell (contract 02 §4).
 *
 * @throws OutOfDate when the ledger's signers are not those it was decided on
 */
export async function asServed(service: Service, ledger: Ledger, record: BridgeRecord): Promise<JsonObject> {
  const { hash, data, luid, meta } = record;
  const proofs = await attributed(service, ledger, record.proofs, false);
  return { hash, data, ...(luid === undefined ? {} : { luid }), meta: { proofs: proofs as JsonObject[], ...meta } };
}

/**
 * Proofs with the signers of this ledger that they are of; one of a stranger to it says nothing of that.
 *
 * @param trustAbsence false where no commit follows
 */
export async function attributed(
  service: Service,
  ledger: Ledger,
  proofs: readonly Proof[],
  trustAbsence: boolean,
): Promise<StoredProof[]> {
  const publics = [...new Set(proofs.map((proof) => proof.public))];
  const keys = new Map(
    await Promise.all(publics.map(async (key) => [key, await keyOf(service, ledger, key, trustAbsence)] as const)),
  );
  return proofs.map((proof) => {
    const key = keys.get(proof.public);
    return storedProof(proof, key, key?.signer !== undefined || key?.retired !== undefined);
  });
}
