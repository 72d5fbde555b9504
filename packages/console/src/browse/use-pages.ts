import type { Signed } from '@countersign/client';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { placeAfter, placeText } from './place.js';
import type { BrowseSearch } from './search.js';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The places of the pages before, of a list that was gone through page by page. */
    readonly places?: readonly string[];
  }
}

/** The pages of the list of an address: a page goes on from the end of the one before, and the address keeps its place. */
export function usePages(search: BrowseSearch) {
  const navigate = useNavigate({ from: '/l/$ledger/$kind' });
  const { after } = search;
  const places = useRouterState({ select: ({ location }) => location.state.places }) ?? [];
  const page = after === undefined ? 1 : Number(search.page);
  const go = (to: Pick<BrowseSearch, 'after' | 'page'>, state: { readonly places?: readonly string[] }) =>
    void navigate({ search: (now: BrowseSearch) => ({ ...now, ...to }) as never, state });
  return {
    page,
    /** Whether the page before this one was seen. An address that somebody else gave has none. */
    isPreviousKnown: places.length > 0,
    next(last: Signed) {
      const place = placeText(placeAfter(last));
      go({ after: place, page: String(page + 1) }, { places: [...places, after ?? ''] });
    },
    previous() {
      const before = places.at(-1) || undefined;
      const to = before === undefined ? undefined : String(page - 1);
      go({ after: before, page: to }, { places: places.slice(0, -1) });
    },
  };
}
