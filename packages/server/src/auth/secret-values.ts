import type { Ledger } from '../ledgers/ledger.js';
import { sealContext } from '../ledgers/ledgers.js';
import { open } from '../keys/seal.js';
import type { Service } from '../ledgers/service.js';

/** A value of a secret reference, as it is stored. */
export interface SealedSecret {
  readonly name: string;
  readonly sealed: Buffer;
}

/** The clear values, by name, of secrets that the record with this luid has (contract 03 §2.4). */
export function secretValues(
  service: Service,
  ledger: Ledger,
  luid: string,
  secrets: readonly SealedSecret[],
): Map<string, string> {
  return new Map(
    secrets.map(({ name, sealed }) => {
      return [name, open(service.masterKey, sealed, sealContext(ledger.luid, luid, name)).toString('utf8')];
    }),
  );
}
