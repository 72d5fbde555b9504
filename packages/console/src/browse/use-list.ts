import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { scopeOf, useLedger } from '../session/context.js';
import type { KnownLedger } from '../session/open-ledger.js';
import { type ListAsked, readPage } from './read-page.js';

/** One page of a list; the client has verified each record of it. */
export function useListPage(asked: ListAsked, isGood: boolean) {
  const ledger = useLedger();
  return useQuery({ ...listPageOf(ledger, asked), placeholderData: keepPreviousData, enabled: isGood });
}

export function listPageOf(ledger: KnownLedger, asked: ListAsked) {
  const { kind, parent, filter, after, limit } = asked;
  return queryOptions({
    queryKey: [...scopeOf(ledger), 'list', kind.record, parent, filter, after, limit],
    queryFn: () => readPage(ledger.client, asked),
  });
}
