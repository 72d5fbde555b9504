import type { Json } from '@countersign/protocol';
import { newListItem } from '../integrity/items.js';
import type { Kind } from '../kinds/kind.js';
import type { Session } from '../ledgers/session.js';
import { inSession } from '../ledgers/session.js';
import { changeFiltersOf } from '../lists/filters.js';
import { parsePage } from '../lists/page.js';
import { type Source, versionsIn, withBodies } from '../lists/page-bodies.js';
import { listText } from '../lists/text.js';
import type { Answer, Command } from '../records/command.js';
import { snapshot } from '../records/version.js';
import { makeMissingVersion, type Sized } from '../store/queries/version.js';
import { EVERY_OPERATION, type Operation } from './operation.js';
import { readableRecord, toVersioned } from './readable-record.js';

/**
 * `GET /{kind}s/{id}/changes` (interface/records#history): full snapshots, newest first, with `page.total`, the number
 * of changes that match the filters.
 */
export async function listChanges(session: Session, kind: Kind, command: Command): Promise<Answer> {
  const { token } = command;
  const page = parsePage(command.query);
  const filters = changeFiltersOf(kind, command.query);
  return inSession(session, async (session) => {
    const { record, erasedBy } = await readableRecord(session, kind, command, token);
    const asked = { ...page, filters };
    const { total, changes } = session.assertFresh(
      await session.store.lists.history(toVersioned(session.ledger, kind, record), asked),
    );
    const source: Source<Sized> = {
      ...versionsIn(session, kind),
      async itemOf(change) {
        await session.items.check(session.ledger, kind, change);
        return newListItem(snapshot(kind, change) as unknown as Json);
      },
    };
    // Changes are numbered from 1 consecutively, so a missing row shifts those below it: refused as corrupt. Of an erased
    // record the last change is left.
    const gap =
      filters.length > 0 || erasedBy !== undefined
        ? -1
        : changes.findIndex(({ change }, at) => change !== total - page.index * page.limit - at);
    if (gap >= 0)
      await source.itemOf({
        size: 0,
        ...makeMissingVersion({ luid: record.luid, change: total - page.index * page.limit - gap }),
      });
    return withBodies(session, source, page, changes, (items) => {
      return { status: 200, body: listText(session, session.ledger, items, { ...page, total }) };
    });
  });
}

/** The operation `changes`. */
export const listRecordChanges: Operation = {
  name: 'changes',
  isOf: ({ lifecycle }) => lifecycle.operations.includes('changes'),
  routes: () => [{ method: 'GET', of: 'record', path: '/changes' }],
  perform: listChanges,
  refusals: { always: [...EVERY_OPERATION, 'record.not-found'], nested: ['record.invalid'] },
  description: {
    id: (one) => `list${one}Changes`,
    summary: (one) => `List every version of ${one}, newest first`,
    parameters: ['page', 'change-filters'],
    answers: ({ name }) => ({ 200: { text: 'A signed page of changes.', component: `${name}-changes` } }),
  },
};
