import { LedgerError } from '@countersign/protocol';
import type { Kind } from '../../kinds/kind.js';
import type { Session } from '../../ledgers/session.js';
import { listLimits } from '../../lists/list-limits.js';
import { versionsIn, withBodies } from '../../lists/page-bodies.js';
import { listText } from '../../lists/text.js';
import type { Answer } from '../../records/command.js';
import type { PathFilter } from '../../store/queries/filter.js';
import { pageOfVisible, wholePage } from '../list.js';
import type { LookupReader } from './reader.js';

/**
 * All records of the ledger that match, in the order of lists. A list over the limits is refused: cut short, it would look
 * complete.
 *
 * @throws `api.query-malformed` when they are too many or too large
 */
export async function answerFromLedger(
  session: Session,
  kind: Kind,
  filters: readonly PathFilter[],
  { caller, everything, shows }: LookupReader,
): Promise<Answer> {
  const most = listLimits.page.greatest;
  const page = { index: 0, limit: most + 1 };
  const found = everything
    ? await wholePage(session, kind, filters, page)
    : await pageOfVisible(session, kind, filters, page, caller, undefined, shows);
  if (found.length > most) {
    const detail = `The list holds more than ${most} records. Add filters, or list the records by pages.`;
    throw new LedgerError('api.query-malformed', detail);
  }
  return withBodies(session, versionsIn(session, kind), 'whole', found, (items) => {
    return { status: 200, body: listText(session, session.ledger, items) };
  });
}
