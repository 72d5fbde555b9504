import { Link, Outlet, useParams, useRouterState, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { LISTED_KINDS, pluralOf } from '../kinds/kinds.js';
import { ServerName, useForeignServer } from '../session/foreign.js';
import { LedgerGate } from '../session/gate.js';
import { ownServer } from '../session/servers.js';
import { checkText } from '../text/check.js';
import { text } from '../text/en.js';
import { useKeptFocus } from '../ui/kept-focus.js';
import { Mark } from '../ui/mark.js';
import { useMenus } from '../ui/menus.js';
import { Plain } from '../ui/plain.js';
import { DropFiles } from './drop-files.js';
import { IdentityButton } from './identity-button.js';
import { SettingsMenu } from './settings-menu.js';
import { useTitle } from './use-title.js';

/** What stands around every page. */
export function RootLayout() {
  useKeptFocus();
  useMenus();
  useTitle();
  const main = useFocusOnPage();
  const { ledger } = useParams({ strict: false });
  const server = useForeignServer();
  return (
    <>
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        {text.skip}
      </button>
      <header className="top">
        <Link to="/" className="brand" aria-label={`${text.product} ${text.console}`}>
          <Mark />
          <span>{text.product}</span>
        </Link>
        {ledger !== undefined && (
          <Link to="/l/$ledger" params={{ ledger }} className="top-ledger">
            <Plain value={ledger} most={40} />
          </Link>
        )}
        {server !== undefined && (
          <span className="top-server" title={text.server.other}>
            <ServerName server={server} />
          </span>
        )}
        <span className="grow" />
        {ledger !== undefined && <IdentityButton ledger={ledger} />}
        <Link to="/check" className="top-link">
          {checkText.nav}
        </Link>
        <SettingsMenu />
      </header>
      <DropFiles />
      <div className={ledger === undefined ? 'frame bare' : 'frame'}>
        {ledger !== undefined && <SideNavigation ledger={ledger} />}
        <main id="main" ref={main} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </>
  );
}

/** The pages of a ledger, once it is known to be the one that it should be. */
export function LedgerLayout() {
  const { ledger } = useParams({ from: '/l/$ledger' });
  const { server } = useSearch({ from: '/l/$ledger' });
  const address = server ?? ownServer();
  return (
    <LedgerGate key={`${address} ${ledger}`} server={address} name={ledger}>
      <Outlet />
    </LedgerGate>
  );
}

function SideNavigation({ ledger }: { readonly ledger: string }) {
  return (
    <details className="side" open={window.matchMedia('(min-width: 60rem)').matches}>
      <summary>{text.nav.menu}</summary>
      <nav aria-label={text.nav.kinds}>
        <Link to="/l/$ledger" params={{ ledger }} activeOptions={{ exact: true, includeSearch: false }}>
          {text.nav.overview}
        </Link>
        <Link to="/l/$ledger/watch" params={{ ledger }}>
          {text.nav.watch}
        </Link>
        <Link to="/l/$ledger/money" params={{ ledger }} search={{}} activeOptions={{ includeSearch: false }}>
          {text.nav.money}
        </Link>
        <Link to="/l/$ledger/access" params={{ ledger }} search={{}} activeOptions={{ includeSearch: false }}>
          {text.nav.access}
        </Link>
        <h2>{text.nav.kinds}</h2>
        {LISTED_KINDS.map((kind) => (
          <Link
            key={kind.record}
            to="/l/$ledger/$kind"
            params={{ ledger, kind: kind.record }}
            activeOptions={{ includeSearch: false }}
          >
            {pluralOf(kind)}
          </Link>
        ))}
        <Link to="/l/$ledger/$kind/$id" params={{ ledger, kind: 'ledger', id: 'record' }}>
          {text.nav.ledgerRecord}
        </Link>
        <Link to="/check" className="in-menu">
          {checkText.nav}
        </Link>
      </nav>
    </details>
  );
}

/** Gives the focus to a page that was gone to, so that it is read out. */
function useFocusOnPage() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const last = useRef(path);
  useEffect(() => {
    if (last.current === path) return;
    last.current = path;
    main.current?.focus();
  }, [path]);
  return main;
}
