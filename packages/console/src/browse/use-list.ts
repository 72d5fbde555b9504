import type { Signed } from '@countersign/client';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { ListFilter } from '../kinds/filter.js';
import { type KindDescription, recordName } from '../kinds/kinds.js';
import { scopeOf, useLedger } from '../session/context.js';
import type { KnownLedger } from '../session/open-ledger.js';
import { behind, filterFrom, type Place, placeAfter } from './place.js';

/** Records that are asked for at a time, at most (interface/lists#pages). */
const MOST = 1000;

/** What is asked of a list. */
export interface ListAsked {
  readonly kind: KindDescription;
  readonly parent: string | undefined;
  readonly filter: ListFilter;
  /** Where the page begins; at the beginning of the list unless given. */
  readonly after: Place | undefined;
  readonly limit: number;
}

/** One page of a list. */
export interface ListPage {
  readonly records: readonly Signed[];
  /** Whether there are records behind it. */
  readonly hasMore: boolean;
}

/** One page of a list; the client has verified each record of it. */
export function useListPage(asked: ListAsked, isGood: boolean) {
  const ledger = useLedger();
  return useQuery({ ...listPageOf(ledger, asked), placeholderData: keepPreviousData, enabled: isGood });
}

export function listPageOf(ledger: KnownLedger, asked: ListAsked) {
  const { kind, parent, filter, after, limit } = asked;
  return queryOptions({
    queryKey: [...scopeOf(ledger), 'list', kind.record, parent, filter, after, limit],
    queryFn: () => readPage(ledger, asked),
  });
}

/**
 * Goes on from the place, piece by piece, and each piece from the end of the one before: what is dropped meanwhile makes no
 * other record fall between two, and what changes moves to the front.
 */
async function readPage({ client }: KnownLedger, { kind, parent, filter, after, limit }: ListAsked): Promise<ListPage> {
  const records = client.kind(recordName(kind), parent);
  const found = new Map<string, Signed>();
  let place = after;
  // One more tells whether there are more, and a list from a place on begins with the record of the place.
  const wanted = () => Math.min(MOST, limit + 1 - found.size + (place === undefined ? 0 : 1));
  let [size, index] = [wanted(), 0];
  for (;;) {
    const { items } = await records.list({ filter: filterFrom(filter, place) as never, limit: size }).page(index);
    for (const item of behind(items, place)) if (!found.has(item.luid)) found.set(item.luid, item);
    const last = items.at(-1);
    if (found.size > limit || items.length < size || last === undefined) break;
    const next = placeAfter(last);
    if (next.moment === place?.moment) {
      // More records of one moment than were asked for: from there on page by page.
      index = size === MOST ? index + 1 : 0;
      size = MOST;
    } else {
      place = next;
      [size, index] = [wanted(), 0];
    }
  }
  return { records: [...found.values()].slice(0, limit), hasMore: found.size > limit };
}
