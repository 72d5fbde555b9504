import { LedgerError } from '@countersign/protocol';

/** Where the journal of requests is read (interface/ledgers#server-information). */
export const JOURNAL = ['/system/requests', '/system/requests/:id'] as const;

/**
 * What every caller is told about the journal, which this release does not keep: no token is looked at.
 *
 * @throws `api.route-not-found`
 */
export async function notJournaled(): Promise<never> {
  throw new LedgerError('api.route-not-found', 'Journaling is not enabled');
}
