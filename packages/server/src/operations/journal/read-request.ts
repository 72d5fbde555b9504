import { isLuid, LedgerError, luidId } from '@countersign/protocol';
import { callerOfRead } from '../../authorization/caller.js';
import { entryLuid, REQUEST, serveEntry } from '../../journal/entry.js';
import type { Kind } from '../../kinds/kind.js';
import { inSession, type Session } from '../../ledgers/session.js';
import type { Answer, Command } from '../../records/command.js';
import { EVERY_OPERATION, type Operation } from '../operation.js';
import { assertJournaled, authorizeEntry, hasJournal } from './access.js';

/** `GET /system/requests/{request}` (interface/journal#read-an-entry): one entry, by handle or luid. */
async function performReadRequest(session: Session, _: Kind, command: Command): Promise<Answer> {
  const { request = '' } = command.params;
  return inSession(session, async (session) => {
    // As of the state that is decided on: the check before the token may have seen an older one.
    assertJournaled(session);
    const { ledger, store } = session;
    await authorizeEntry(session, await callerOfRead(session, command.token));
    const luid = request.startsWith('$') ? request : entryLuid(request);
    const found = isLuid(luid, 'req') ? await store.lists.journal.one(ledger.id, luidId(luid)) : undefined;
    const [entry] = found ? session.assertFresh(found).entries : [];
    if (!entry) throw new LedgerError('record.not-found', 'Request not found');
    return { status: 200, body: serveEntry(session, ledger, entry).text };
  });
}

/** The operation `request`. */
export const readRequest: Operation = {
  name: 'request',
  isOf: hasJournal,
  routes: () => [{ method: 'GET', of: 'ledger', path: '/system/requests/:request' }],
  perform: performReadRequest,
  assertServed: assertJournaled,
  refusals: { always: [...EVERY_OPERATION, 'record.not-found'] },
  asks: { action: 'read', record: REQUEST },
  description: {
    id: (one) => `read${one}Request`,
    summary: (one) => `Read one entry of the journal of requests of ${one}`,
    answers: () => ({ 200: { text: 'The entry.', component: 'request-entry' } }),
  },
};
