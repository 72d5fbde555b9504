import { callerOfRead } from '../../authorization/caller.js';
import { withDeliveries } from '../../deliveries/page.js';
import type { Kind } from '../../kinds/kind.js';
import { inSession, type Session } from '../../ledgers/session.js';
import { deliveryFiltersOf } from '../../lists/filters.js';
import { parsePage } from '../../lists/page.js';
import { listText } from '../../lists/text.js';
import type { Answer, Command } from '../../records/command.js';
import { getRecord } from '../../records/stored-record.js';
import { EVERY_OPERATION, type Operation } from '../operation.js';
import { authorizeDeliveries, hasDeliveries } from './scope.js';

/** `GET /effects/{id}/events` (interface/effects#list-deliveries): a page of deliveries, the newest first. */
async function performListEvents(session: Session, kind: Kind, command: Command): Promise<Answer> {
  const page = parsePage(command.query);
  const filters = deliveryFiltersOf(command.query);
  return inSession(session, async (session) => {
    const stored = await getRecord(session, kind, command);
    const caller = await callerOfRead(session, command.token);
    const scope = await authorizeDeliveries(session, kind, stored, caller, 'query-event');
    await session.task.turn();
    const { index, limit } = page;
    const query = { ...scope, filters, limit, offset: index * limit };
    const { deliveries } = session.assertFresh(await session.store.lists.deliveries.page(query));
    return withDeliveries(session, scope, page, deliveries, (items) => {
      return { status: 200, body: listText(session, session.ledger, items, page) };
    });
  });
}

/** The operation `events`. */
export const listEvents: Operation = {
  name: 'events',
  isOf: hasDeliveries,
  routes: () => [{ method: 'GET', of: 'record', path: '/events' }],
  perform: performListEvents,
  refusals: { always: [...EVERY_OPERATION, 'record.not-found'] },
  description: {
    id: (one) => `list${one}Events`,
    summary: (one) => `List the deliveries of events of ${one}, newest first`,
    parameters: ['page', 'delivery-filters'],
    answers: () => ({ 200: { text: 'A signed page of deliveries.', component: 'delivery-list' } }),
  },
};
