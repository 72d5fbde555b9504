import { LedgerError } from '@countersign/protocol';

/** Where the journal of requests is read (interface/ledgers#server-information). */
export const JOURNAL = ['/system/requests', '/system/requests/:id'] as const;

/**
 * Answers requests for the journal: this release lacks it, so tokens stay unread.
 *
 * @throws `api.route-not-found`
 */
export async function notJournaled(): Promise<never> {
  throw new LedgerError('api.route-not-found', 'Journaling is not enabled');
}
