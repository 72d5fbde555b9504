import type { Json } from '@countersign/protocol';
import { refusal } from '../access/refusal.js';
import { kindNamed } from '../kinds/registry.js';
import type { Service } from '../service.js';
import { stepsOfText } from '../work/task.js';
import { filtersOf } from './filters.js';
import { type Item, newItem } from './items.js';
import { pageOf } from './page.js';
import { type Answer, authenticate, type Request } from './request.js';
import { listText } from './serve.js';

const kind = kindNamed('ledger');

/**
 * `GET /ledgers` (contract 01 §14): the ledgers that the token's key owns, and no others. No ledger is resolved, so no
 * ledger signs the list.
 *
 * @throws `auth.unauthorized` without a token (contract 00, Corrections)
 */
export async function listLedgers(service: Service, request: Request): Promise<Answer> {
  const token = await authenticate(service, undefined, request, undefined);
  const page = pageOf(request.query);
  const filters = filtersOf(kind, request.query);
  if (!token) throw refusal('query', 'ledger', { credentials: false });
  const ids = token.key === undefined ? [] : await service.store.ledgers.owned(token.key);
  const { index, limit } = page;
  const bodies = await service.store.lists.ledgers({ ids, filters, limit, offset: index * limit });
  const items: Item[] = [];
  for (const body of bodies) {
    await service.task.turn(stepsOfText(body));
    items.push(newItem(JSON.parse(body) as Json));
  }
  await service.task.turn();
  return { status: 200, body: listText(service, undefined, items, page) };
}
