import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import { readAccessSearch } from '../access/search.js';
import { askedOf, readSearch } from '../browse/search.js';
import { listPageOf } from '../browse/use-list.js';
import { readDoSearch } from '../forms/operations.js';
import { findKind } from '../kinds/kinds.js';
import { readFlowsSearch } from '../money/search.js';
import { samplesOf } from '../overview/use-samples.js';
import { readRecordSearch, recordAskedOf } from '../record/search.js';
import { recordOf } from '../record/use-record.js';
import { Fault, NotFound } from '../session/fault.js';
import { askAhead, queries } from '../session/queries.js';
import { foreignServer, ownServer } from '../session/servers.js';
import { LedgerLayout, RootLayout } from './shell.js';

/** What every address may have: another server than the one that the page came from. */
interface RootSearch {
  readonly server?: string;
}

const rootRoute = createRootRoute({
  component: RootLayout,
  validateSearch: ({ server }: RootSearch): RootSearch => {
    const foreign = foreignServer(server);
    return foreign === undefined ? {} : { server: foreign };
  },
  search: { middlewares: [retainSearchParams(['server'])] },
});

const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../start/page.js'), 'StartPage'),
});

const checkRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/check',
  component: lazyRouteComponent(() => import('../check/page.js'), 'CheckPage'),
});

const beginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/begin',
  component: lazyRouteComponent(() => import('../start/begin-page.js'), 'BeginPage'),
});

const ledgerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/l/$ledger',
  component: LedgerLayout,
  loaderDeps: ({ search: { server } }) => ({ server }),
  loader: ({ params: { ledger }, deps: { server } }) => void askAhead(server ?? ownServer(), ledger),
});

const overviewRoute = createRoute({
  getParentRoute: () => ledgerRoute,
  path: '/',
  loaderDeps: ({ search: { server } }) => ({ server }),
  loader: ({ params: { ledger }, deps: { server } }) =>
    void askAhead(server ?? ownServer(), ledger, (known) => {
      for (const sample of samplesOf(known)) void queries.prefetchQuery(sample);
    }),
  component: lazyRouteComponent(() => import('../overview/page.js'), 'OverviewPage'),
});

const firstTransferRoute = createRoute({
  getParentRoute: () => ledgerRoute,
  path: '/begin',
  component: lazyRouteComponent(() => import('../start/first-transfer.js'), 'FirstTransferPage'),
});

const doPage = lazyRouteComponent(() => import('../forms/page.js'), 'DoPage');

const doRoute = createRoute({
  getParentRoute: () => ledgerRoute,
  path: '/do/$operation/$kind',
  validateSearch: readDoSearch,
  component: doPage,
});

const doOnRoute = createRoute({
  getParentRoute: () => ledgerRoute,
  path: '/do/$operation/$kind/$id',
  validateSearch: readDoSearch,
  component: doPage,
});

const browseRoute = createRoute({
  getParentRoute: () => ledgerRoute,
  path: '/$kind',
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params: { ledger, kind }, deps }) => {
    const described = findKind(kind);
    if (described === undefined) return;
    const { asked, isGood } = askedOf(described, deps);
    void askAhead(deps.server ?? ownServer(), ledger, (known) => {
      if (isGood) void queries.prefetchQuery(listPageOf(known, asked));
    });
  },
  component: lazyRouteComponent(() => import('../browse/page.js'), 'BrowsePage'),
});

const recordRoute = createRoute({
  getParentRoute: () => ledgerRoute,
  path: '/$kind/$id',
  validateSearch: readRecordSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params: { ledger, kind, id }, deps }) => {
    const asked = recordAskedOf(kind, id, deps);
    void askAhead(deps.server ?? ownServer(), ledger, (known) => {
      if (asked) void queries.prefetchQuery(recordOf(known, asked));
    });
  },
  component: lazyRouteComponent(() => import('../record/page.js'), 'RecordPage'),
});

const flowsRoute = createRoute({
  getParentRoute: () => ledgerRoute,
  path: '/money',
  validateSearch: readFlowsSearch,
  component: lazyRouteComponent(() => import('../money/flows-page.js'), 'FlowsPage'),
});

const walletRoute = createRoute({
  getParentRoute: () => ledgerRoute,
  path: '/money/wallet/$id',
  validateSearch: ({ symbol }: { symbol?: string }): { symbol?: string } => (symbol ? { symbol } : {}),
  component: lazyRouteComponent(() => import('../money/wallet-page.js'), 'WalletPage'),
});

const intentRoute = createRoute({
  getParentRoute: () => ledgerRoute,
  path: '/money/intent/$id',
  component: lazyRouteComponent(() => import('../money/intent-page.js'), 'IntentPage'),
});

const accessRoute = createRoute({
  getParentRoute: () => ledgerRoute,
  path: '/access',
  validateSearch: readAccessSearch,
  component: lazyRouteComponent(() => import('../access/page.js'), 'AccessPage'),
});

const watchRoute = createRoute({
  getParentRoute: () => ledgerRoute,
  path: '/watch',
  component: lazyRouteComponent(() => import('../watch/page.js'), 'WatchPage'),
});

const deliveriesRoute = createRoute({
  getParentRoute: () => ledgerRoute,
  path: '/deliveries/$kind/$id',
  component: lazyRouteComponent(() => import('../watch/deliveries-page.js'), 'DeliveriesPage'),
});

/** Pages that are made for a kind. Their addresses begin with a name that no kind has. */
const pictureRoutes = [flowsRoute, walletRoute, intentRoute, accessRoute, watchRoute, deliveriesRoute] as const;

/**
 * Writes a `$` of the address as `%24`: the router would take it for the name of a parameter, and luids begin with it. The
 * original function is called, which the router is not told of: it reads the address after this.
 */
function escapeDollars(): void {
  const { pathname, search, hash } = window.location;
  if (!hash.includes('$')) return;
  const address = pathname + search + hash.replaceAll('$', '%24');
  History.prototype.replaceState.call(window.history, window.history.state, '', address);
}
escapeDollars();
window.addEventListener('popstate', escapeDollars);

/** The pages. They stand behind the hash of the address: every static host serves them, and a reload finds them again. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([
    startRoute,
    checkRoute,
    beginRoute,
    ledgerRoute.addChildren([
      overviewRoute,
      firstTransferRoute,
      doRoute,
      doOnRoute,
      ...pictureRoutes,
      browseRoute,
      recordRoute,
    ]),
  ]),
  history: createHashHistory(),
  defaultPreload: false,
  scrollRestoration: true,
  defaultErrorComponent: ({ error, reset }) => <Fault error={error} retry={reset} />,
  defaultNotFoundComponent: NotFound,
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const query = new URLSearchParams(given as [string, string][]).toString();
    return query === '' ? '' : `?${query}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
