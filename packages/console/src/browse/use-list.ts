import type { Signed } from '@countersign/client';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { ListFilter } from '../kinds/filter.js';
import { type KindDescription, recordName } from '../kinds/kinds.js';
import { scopeOf, useLedger } from '../session/context.js';
import type { KnownLedger } from '../session/open-ledger.js';

/** Records that are asked for at a time, at most (interface/lists#pages). */
const MOST = 1000;

/** What is asked of a list. */
export interface ListAsked {
  readonly kind: KindDescription;
  readonly parent: string | undefined;
  readonly filter: ListFilter;
  readonly index: number;
  readonly limit: number;
}

/** One page of a list; the client has verified each record of it. */
export function useListPage(asked: ListAsked, isGood: boolean) {
  const ledger = useLedger();
  return useQuery({ ...listPageOf(ledger, asked), placeholderData: keepPreviousData, enabled: isGood });
}

export function listPageOf(ledger: KnownLedger, asked: ListAsked) {
  const { kind, parent, filter, index, limit } = asked;
  return queryOptions({
    queryKey: [...scopeOf(ledger), 'list', kind.record, parent, filter, index, limit],
    queryFn: () => readPage(ledger, asked),
  });
}

/** A page that is larger than what a list gives at a time is read piece by piece. */
async function readPage({ client }: KnownLedger, { kind, parent, filter, index, limit }: ListAsked): Promise<Signed[]> {
  const size = Math.min(limit, MOST);
  const pieces = limit / size;
  const list = client.kind(recordName(kind), parent).list({ filter: filter as never, limit: size });
  const found = new Map<string, Signed>();
  for (let piece = index * pieces; piece < (index + 1) * pieces; piece++) {
    const { items } = await list.page(piece);
    // What changes meanwhile moves to the front, and pushes others onto the next piece once more.
    for (const item of items) if (!found.has(item.luid)) found.set(item.luid, item);
    if (items.length < size) break;
  }
  return [...found.values()];
}
