import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';

/** Whether a ledger keeps a journal of its requests (interface/journal). */
export function isJournaled(
  { keepsJournals }: Pick<Service, 'keepsJournals'>,
  { config }: Pick<Ledger, 'config'>,
): boolean {
  return keepsJournals && config['request.journalingEnabled'] === true;
}
