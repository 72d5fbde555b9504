import './browse.css';
import type { Signed } from '@countersign/client';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type Ref, useEffect, useRef } from 'react';
import { CreateLink } from '../forms/links.js';
import { defaultColumns } from '../kinds/columns.js';
import { findKind, type KindDescription, pluralOf } from '../kinds/kinds.js';
import { useLedger } from '../session/context.js';
import { Fault, NotFound } from '../session/fault.js';
import { browseText } from '../text/browse.js';
import { text } from '../text/en.js';
import { Filled } from '../ui/filled.js';
import { Notice, Skeleton } from '../ui/notice.js';
import { statusOf } from '../verify/judge.js';
import { ColumnsMenu } from './columns-menu.js';
import { BadTermText, FilterBar } from './filter-bar.js';
import { FilterBuilder } from './filter-builder.js';
import { Pager } from './pager.js';
import type { ListPage } from './read-page.js';
import { RecordsTable } from './records-table.js';
import { SaveMenu } from './save-menu.js';
import { askedOf, type BrowseSearch } from './search.js';
import { useListPage } from './use-list.js';
import { usePages } from './use-pages.js';

const NONE: readonly Signed[] = [];

/** Another list is begun at its first page. */
const FIRST_PAGE = { after: undefined, page: undefined };

/** The records of a kind. */
export function BrowsePage() {
  const { kind: record } = useParams({ from: '/l/$ledger/$kind' });
  const kind = findKind(record);
  return kind ? <Browse key={record} kind={kind} /> : <NotFound />;
}

function Browse({ kind }: { readonly kind: KindDescription }) {
  const search: BrowseSearch = useSearch({ from: '/l/$ledger/$kind' });
  const navigate = useNavigate({ from: '/l/$ledger/$kind' });
  const change = (to: BrowseSearch) => void navigate({ search: (now: BrowseSearch) => ({ ...now, ...to }) as never });
  const { asked, terms, bad, isBelow, isGood } = askedOf(kind, search);
  const list = useListPage(asked, isGood);
  const records = list.data?.records ?? NONE;
  const columns = search.columns?.split(',') ?? defaultColumns(kind, records);
  const isCurrent = list.data !== undefined && !list.isPlaceholderData;
  const changeFilter = (all: readonly string[]) => change({ ...FIRST_PAGE, filter: all.join('\n') || undefined });
  return (
    <>
      <header className="page-head">
        <h1>{pluralOf(kind)}</h1>
        {asked.parent !== undefined && (
          <p>
            <Filled of={browseText.below} names={[asked.parent]} />
          </p>
        )}
        <CreateLink kind={kind.record} parent={asked.parent} />
      </header>
      <div className="toolbar">
        <FilterBar kind={kind} terms={terms} onChange={changeFilter} />
        <FilterBuilder kind={kind} onAdd={(term) => changeFilter([...terms, term])} />
        <ColumnsMenu
          kind={kind}
          chosen={columns}
          onChange={(all) =>
            // The page stays, and with it the way back from it.
            void navigate({ search: (now: BrowseSearch) => ({ ...now, columns: all.join() }) as never, state: true })
          }
        />
        <SaveMenu name={pluralOf(kind)} columns={columns} records={isCurrent ? records : undefined} />
      </div>
      {isBelow && <Notice tone="plain" title={browseText.needsParent(kind.parent ?? '')} />}
      {bad !== undefined && (
        <Notice tone="warn" title={<BadTermText term={bad.term} />}>
          {bad.members.join(', ')}
        </Notice>
      )}
      {list.error && <Fault error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && list.isFetching && <Skeleton lines={10} label={text.loading} />}
      {list.data && !list.error && (
        <RecordsPage
          {...{ kind, columns, search, isCurrent }}
          found={list.data}
          limit={asked.limit}
          isFiltered={terms.length > 0}
          onRows={(rows) => change({ ...FIRST_PAGE, rows })}
        />
      )}
    </>
  );
}

interface RecordsPageProps {
  readonly kind: KindDescription;
  readonly columns: readonly string[];
  readonly search: BrowseSearch;
  readonly found: ListPage;
  readonly limit: number;
  readonly isFiltered: boolean;
  /** Whether it is what the address names: what was shown before stays until that is there. */
  readonly isCurrent: boolean;
  readonly onRows: (rows: string) => void;
}

/** A page of a list, and the ways to those beside it. */
function RecordsPage({ kind, columns, search, found, limit, isFiltered, isCurrent, onRows }: RecordsPageProps) {
  const { records, hasMore } = found;
  const { page, isPreviousKnown, previous, next } = usePages(search);
  const table = useRef<HTMLDivElement>(null);
  /** The place of the page that was left; null once its successor has the focus. */
  const turnedFrom = useRef<string | undefined | null>(null);
  // Whoever turns a page goes on at its first row.
  useEffect(() => {
    if (search.after === turnedFrom.current || !isCurrent) return;
    const isTurned = turnedFrom.current !== null;
    turnedFrom.current = null;
    const box = table.current;
    if (!isTurned || !box) return;
    // The router may have scrolled it to where it was on the page before.
    box.scrollTop = 0;
    box.focus();
  }, [isCurrent, search.after]);
  const turn = (go: () => void) => () => {
    turnedFrom.current = search.after;
    go();
  };
  const last = records.at(-1);
  return (
    <div className="list-page" aria-busy={!isCurrent}>
      <FoundRecords
        key={search.after}
        {...{ kind, columns, records, page, isFiltered, table }}
        parent={search.parent}
      />
      <Pager
        {...{ page, limit, isPreviousKnown, onRows }}
        hasMore={hasMore && isCurrent}
        onPrevious={page > 1 && isCurrent ? turn(previous) : undefined}
        onNext={turn(() => last && next(last))}
      />
    </div>
  );
}

interface FoundRecordsProps {
  readonly kind: KindDescription;
  readonly parent: string | undefined;
  readonly columns: readonly string[];
  readonly records: readonly Signed[];
  readonly page: number;
  readonly isFiltered: boolean;
  readonly table: Ref<HTMLDivElement>;
}

function FoundRecords({ kind, parent, columns, records, page, isFiltered, table }: FoundRecordsProps) {
  const { pin } = useLedger();
  const bad = records.filter((record) => statusOf(record, pin.key) === 'false').length;
  if (records.length > 0) {
    return (
      <>
        {bad === 0 ? (
          <p className="count" aria-live="polite">
            <span className="tick">✓</span> {browseText.checked(records.length)}
          </p>
        ) : (
          <Notice tone="bad" title={browseText.badStatus(bad)}>
            <p>{text.fault.lieAbout}</p>
          </Notice>
        )}
        <RecordsTable {...{ kind, parent, columns, records }} box={table} />
      </>
    );
  }
  return (
    <div className="empty">
      <h2>{browseText.empty}</h2>
      {page > 1 ? (
        <p>{browseText.ended}</p>
      ) : (
        <p>{isFiltered ? browseText.emptyFiltered : browseText.emptyAbout(pluralOf(kind))}</p>
      )}
    </div>
  );
}
