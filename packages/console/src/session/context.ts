import { createContext, useContext } from 'react';
import { identityName } from './identity.js';
import type { KnownLedger, OpenLedger } from './open-ledger.js';

const LedgerContext = createContext<OpenLedger | undefined>(undefined);

export const LedgerProvider = LedgerContext.Provider;

/** The ledger of the page. @throws outside of one */
export function useLedger(): OpenLedger {
  const ledger = useContext(LedgerContext);
  if (ledger === undefined) throw new Error('There is no ledger here');
  return ledger;
}

/** The beginning of the key of every query: what one identity may read in one ledger is no answer for another. */
export function scopeOf({ server, pin, identity }: Omit<KnownLedger, 'client' | 'answers'>): readonly string[] {
  return [server, pin.luid, identityName(identity), pin.key];
}
