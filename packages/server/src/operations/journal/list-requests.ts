import { callerOfRead } from '../../authorization/caller.js';
import type { ListItem } from '../../integrity/items.js';
import { REQUEST, serveEntry, targetOf } from '../../journal/entry.js';
import type { Kind } from '../../kinds/kind.js';
import { inSession, type Session } from '../../ledgers/session.js';
import { requestFiltersOf } from '../../lists/filters.js';
import { parsePage } from '../../lists/page.js';
import { listText } from '../../lists/text.js';
import type { Answer, Command } from '../../records/command.js';
import { EVERY_OPERATION, type Operation } from '../operation.js';
import { assertJournaled, hasJournal, mayListEntries } from './access.js';
import { entryComponents } from './components.js';

/** `GET /system/requests` (interface/journal#list-entries): a page of the journal, the newest first. */
async function performListRequests(session: Session, _: Kind, command: Command): Promise<Answer> {
  const page = parsePage(command.query);
  const filters = requestFiltersOf(command.query);
  return inSession(session, async (session) => {
    // As of the state that is decided on: the check before the token may have seen an older one.
    assertJournaled(session);
    const { ledger } = session;
    const isShown = await mayListEntries(session, await callerOfRead(session, command.token));
    const { index, limit } = page;
    const query = { ledger: ledger.id, target: targetOf(ledger.handle), filters, limit, offset: index * limit };
    const found = isShown ? session.assertFresh(await session.store.lists.journal.page(query)).entries : [];
    const items: ListItem[] = [];
    for (const entry of found) {
      await session.task.turn();
      items.push(serveEntry(session, ledger, entry));
    }
    if (!isShown) await session.assertStillCurrent();
    return { status: 200, body: listText(session, ledger, items, page) };
  });
}

/** The operation `requests`. */
export const listRequests: Operation = {
  name: 'requests',
  isOf: hasJournal,
  routes: () => [{ method: 'GET', of: 'ledger', path: '/system/requests' }],
  perform: performListRequests,
  assertServed: assertJournaled,
  refusals: { always: EVERY_OPERATION },
  asks: { action: 'query', record: REQUEST },
  description: {
    id: (one) => `list${one}Requests`,
    summary: (one) => `List the journal of requests of ${one}, newest first`,
    parameters: ['page', 'journal-filters'],
    components: { answers: entryComponents },
    answers: () => ({ 200: { text: 'A signed page of entries.', component: 'request-entry-list' } }),
  },
};
