import { useInfiniteQuery } from '@tanstack/react-query';
import { type KindDescription, recordName } from '../kinds/kinds.js';
import { scopeOf, useLedger } from '../session/context.js';

/** Versions of a page of a history. */
const VERSIONS_LIMIT = 20;

/** The versions of a record, newest first; older ones when they are asked for. */
export function useHistory(kind: KindDescription, luid: string, parent: string | undefined) {
  const ledger = useLedger();
  return useInfiniteQuery({
    queryKey: [...scopeOf(ledger), 'history', kind.record, parent, luid],
    queryFn: ({ pageParam }) => {
      const records = ledger.client.kind(recordName(kind), parent);
      const options = { limit: VERSIONS_LIMIT };
      return (kind.item.includes('{id}') ? records.history(luid, options) : records.history(options)).page(pageParam);
    },
    initialPageParam: 0,
    getNextPageParam: (page) => ((page.index + 1) * page.limit < (page.total ?? 0) ? page.index + 1 : undefined),
  });
}
