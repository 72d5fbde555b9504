import { useMatches, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { findKind, pluralOf } from '../kinds/kinds.js';
import { checkText } from '../text/check.js';
import { doingText } from '../text/doing.js';
import { text } from '../text/en.js';
import { isolated } from '../ui/plain.js';

/** Characters of a name. */
const TITLE_NAME = 60;

/** The names of pages that no record and no kind names, by the ids of their routes. */
const PAGES: Readonly<Record<string, string>> = {
  '/check': checkText.nav,
  '/begin': doingText.begin.title,
  '/l/$ledger/begin': doingText.begin.title,
  '/l/$ledger/money': text.nav.money,
  '/l/$ledger/access': text.nav.access,
  '/l/$ledger/watch': text.nav.watch,
};

/** Gives the window the name of its page: record, kind, ledger. Tabs and the browser's history are told apart by it. */
export function useTitle(): void {
  const { ledger, kind: named, id } = useParams({ strict: false });
  const route = useMatches({ select: (matches) => matches.at(-1)?.routeId }) ?? '';
  const kind = findKind(named ?? '');
  const names = [id, kind && pluralOf(kind), PAGES[route], ledger].filter((name) => name !== undefined);
  const title = [...names.map((name) => isolated(name.slice(0, TITLE_NAME))), text.product].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
