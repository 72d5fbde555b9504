import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ListFilter } from '../kinds/filter.js';
import { type KindDescription, recordName } from '../kinds/kinds.js';
import { scopeOf, useLedger } from '../session/context.js';

/** What is asked of a list. */
export interface ListAsked {
  readonly kind: KindDescription;
  readonly parent: string | undefined;
  readonly filter: ListFilter;
  readonly index: number;
  readonly limit: number;
}

/** One page of a list; the client has verified each record of it. */
export function useListPage({ kind, parent, filter, index, limit }: ListAsked, isGood: boolean) {
  const ledger = useLedger();
  return useQuery({
    queryKey: [...scopeOf(ledger), 'list', kind.record, parent, filter, index, limit],
    queryFn: () =>
      ledger.client
        .kind(recordName(kind), parent)
        .list({ filter: filter as never, limit })
        .page(index),
    placeholderData: keepPreviousData,
    enabled: isGood,
  });
}
