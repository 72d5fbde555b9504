import { type Json, readJson } from '@countersign/protocol';
import { accessRefusal } from '../access/refusal.js';
import { newListItem } from '../integrity/items.js';
import { kindNamed } from '../kinds/registry.js';
import type { Service } from '../ledgers/service.js';
import { parseFilters } from '../lists/filters.js';
import { parsePage } from '../lists/page.js';
import { type Source, withBodies } from '../lists/page-bodies.js';
import { listText } from '../lists/text.js';
import type { Answer, Command } from '../records/command.js';
import type { ListedLedger } from '../store/queries/list.js';
import type { Sized } from '../store/queries/version.js';

const ledgerKind = kindNamed('ledger');

/**
 * `GET /ledgers` (interface/ledgers#list-ledgers): only the ledgers that the token's key owns. The request is outside
 * every ledger, so the list is unsigned.
 *
 * @throws `auth.unauthorized` when the request lacks a token (interface/ledgers#list-ledgers)
 */
export async function listLedgers(service: Service, command: Command): Promise<Answer> {
  const { token } = command;
  const page = parsePage(command.query);
  const filters = parseFilters(ledgerKind, command.query);
  if (!token) throw accessRefusal('query', 'ledger', { credentials: false });
  const { key: owner } = token;
  const { index, limit } = page;
  const query = owner !== undefined && { owner, filters, limit, offset: index * limit };
  const found = query ? await service.store.lists.ledgers(query) : [];
  return withBodies(service, ownRecords(service, owner), page, found, (items) => {
    return { status: 200, body: listText(service, undefined, items, page) };
  });
}

/** The records of ledgers about themselves, each fetched from its own ledger. */
function ownRecords({ store, integrity }: Service, owner: string | undefined): Source<ListedLedger> {
  return {
    payer: owner,
    async fetch(ledgers) {
      const found: Sized[] = [];
      for (const own of ledgers) {
        found.push(...(await store.lists.bodies({ ledger: own.ledger, of: [own], most: own.size })));
      }
      return found;
    },
    async itemOf(own) {
      await integrity.check({ ledger: own.ledger, kind: 'ledger' }, own);
      return newListItem(readJson(own.body) as Json);
    },
  };
}
