import { LedgerError } from '@countersign/protocol';
import { callerOfRead } from '../../authorization/caller.js';
import { handleLimits } from '../../base/handle.js';
import { withDeliveries } from '../../deliveries/page.js';
import type { Kind } from '../../kinds/kind.js';
import { inSession, type Session } from '../../ledgers/session.js';
import type { Answer, Command } from '../../records/command.js';
import { getRecord } from '../../records/stored-record.js';
import { EVERY_OPERATION, type Operation } from '../operation.js';
import { authorizeDeliveries, hasDeliveries, parseDeliveryHandle } from './scope.js';

/** `GET /effects/{id}/events/{handle}` (interface/effects#read-a-delivery): one delivery. */
async function performReadEvent(session: Session, kind: Kind, command: Command): Promise<Answer> {
  const { event = '' } = command.params;
  return inSession(session, async (session) => {
    const stored = await getRecord(session, kind, command);
    const caller = await callerOfRead(session, command.token);
    const scope = await authorizeDeliveries(session, kind, stored, caller, 'query-event');
    const handle = parseDeliveryHandle(event);
    const handles = handle === undefined ? [] : [handle];
    const found = session.assertFresh(await session.store.lists.deliveries.named({ ...scope, handles }));
    if (found.deliveries.length === 0) {
      const detail = `Event delivery '${cutHandle(event)}' not found on ledger '${session.ledger.handle}'`;
      throw new LedgerError('record.not-found', detail);
    }
    return withDeliveries(session, scope, { index: 0, limit: 1 }, found.deliveries, ([item]) => {
      return { status: 200, body: item!.text };
    });
  });
}

/** What a path names is as long as a request allows. */
function cutHandle(id: string): string {
  return id.length <= handleLimits.characters ? id : [...id].slice(0, handleLimits.characters).join('');
}

/** The operation `event`. */
export const readEvent: Operation = {
  name: 'event',
  isOf: hasDeliveries,
  routes: () => [{ method: 'GET', of: 'record', path: '/events/:event' }],
  perform: performReadEvent,
  refusals: { always: [...EVERY_OPERATION, 'record.not-found'] },
  description: {
    id: (one) => `read${one}Event`,
    summary: (one) => `Read one delivery of an event of ${one}`,
    answers: () => ({ 200: { text: 'The delivery.', component: 'delivery' } }),
  },
};
