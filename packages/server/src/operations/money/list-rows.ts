import type { RecordEnvelope } from '@countersign/protocol';
import { authorize, toAccessRequest } from '../../authorization/authorize.js';
import { callerOfRead } from '../../authorization/caller.js';
import { conditionsOf } from '../../authorization/conditions.js';
import type { ListItem } from '../../integrity/items.js';
import type { Kind } from '../../kinds/kind.js';
import { inSession, type Session } from '../../ledgers/session.js';
import { moneyFiltersOf } from '../../lists/filters.js';
import { parsePage } from '../../lists/page.js';
import { listText } from '../../lists/text.js';
import type { Answer, Command } from '../../records/command.js';
import { getRecord } from '../../records/stored-record.js';
import type { MoneyLists, PageOfRows, RowsQuery } from '../../store/money/rows.js';

/** A list of what a wallet holds, or of its bounds. */
export interface RowList<R> {
  /** Members that it is filtered by. */
  readonly fields: readonly string[];
  read(lists: MoneyLists, query: RowsQuery): Promise<PageOfRows<R>>;
  itemOf(row: R, wallet: RecordEnvelope): ListItem;
}

/**
 * A page of the rows of a wallet, for who may read it. The path takes a handle or luid: an address that leads to a wallet is
 * none here (interface/wallets#routes).
 *
 * @throws `record.not-found` for an unknown wallet, `auth.forbidden` for one that the caller may not read
 */
export async function listRows<R>(session: Session, kind: Kind, command: Command, list: RowList<R>): Promise<Answer> {
  const page = parsePage(command.query);
  const filters = moneyFiltersOf(list.fields, command.query);
  return inSession(session, async (session) => {
    const stored = await getRecord(session, kind, command);
    const caller = await callerOfRead(session, command.token);
    const reading = toAccessRequest('read', kind, stored);
    await authorize(session, caller, {
      ...reading,
      conditions: await conditionsOf(session, caller, reading.subject),
    });
    await session.task.turn();
    const { record } = stored;
    const { index, limit } = page;
    const query = { ledger: session.ledger.id, wallet: record.luid, filters, limit, offset: index * limit };
    const { total, rows } = session.assertFresh(await list.read(session.store.lists.money, query));
    const items: ListItem[] = [];
    for (const row of rows) {
      await session.task.turn();
      items.push(list.itemOf(row, record));
    }
    await session.task.turn();
    return { status: 200, body: listText(session, session.ledger, items, { ...page, total }) };
  });
}
