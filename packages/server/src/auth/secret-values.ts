import { sealContext } from '../keys/seal.js';
import type { Session } from '../ledgers/session.js';

/** A value of a secret reference, as it is stored. */
export interface SealedSecret {
  readonly name: string;
  readonly sealed: Buffer;
}

/** The clear values, by name, of secrets that the record with this luid has (interface/signers#secrets). */
export function secretValues(session: Session, luid: string, secrets: readonly SealedSecret[]): Map<string, string> {
  return new Map(
    secrets.map(({ name, sealed }) => {
      return [name, session.keys.open(sealed, sealContext(session.ledger.luid, luid, name)).toString('utf8')];
    }),
  );
}
