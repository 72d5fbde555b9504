import './browse.css';
import type { Signed } from '@countersign/client';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { CreateLink } from '../forms/links.js';
import { defaultColumns } from '../kinds/columns.js';
import { findKind, type KindDescription, pluralOf } from '../kinds/kinds.js';
import { useLedger } from '../session/context.js';
import { Fault, NotFound } from '../session/fault.js';
import { browseText } from '../text/browse.js';
import { text } from '../text/en.js';
import { Notice, Skeleton } from '../ui/notice.js';
import { statusOf } from '../verify/judge.js';
import { ColumnsMenu } from './columns-menu.js';
import { FilterBar } from './filter-bar.js';
import { FilterBuilder } from './filter-builder.js';
import { Pager } from './pager.js';
import { RecordsTable } from './records-table.js';
import { SaveMenu } from './save-menu.js';
import { askedOf, type BrowseSearch } from './search.js';
import { useListPage } from './use-list.js';

const NONE: readonly Signed[] = [];

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
  const { parent, index, limit } = asked;
  const list = useListPage(asked, isGood);
  const records = list.data ?? NONE;
  const columns = search.columns?.split(',') ?? defaultColumns(kind, records);
  return (
    <>
      <header className="page-head">
        <h1>{pluralOf(kind)}</h1>
        {parent !== undefined && <p>{browseText.below(parent)}</p>}
        <CreateLink kind={kind.record} parent={parent} />
      </header>
      <div className="toolbar">
        <FilterBar
          kind={kind}
          terms={terms}
          onChange={(all) => change({ filter: all.join('\n') || undefined, page: undefined })}
        />
        <FilterBuilder kind={kind} onAdd={(term) => change({ filter: [...terms, term].join('\n'), page: undefined })} />
        <ColumnsMenu kind={kind} chosen={columns} onChange={(all) => change({ columns: all.join() })} />
        <SaveMenu name={pluralOf(kind)} columns={columns} records={records} />
      </div>
      {isBelow && <Notice tone="plain" title={browseText.needsParent(kind.parent ?? '')} />}
      {bad !== undefined && (
        <Notice tone="warn" title={browseText.badTerm(bad.term)}>
          {bad.members.join(', ')}
        </Notice>
      )}
      {list.error && <Fault error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && list.isFetching && <Skeleton lines={10} label={text.loading} />}
      {list.data && !list.error && (
        <>
          <Found {...{ kind, parent, columns, records }} isFiltered={terms.length > 0} />
          <Pager {...{ index, limit, change }} hasMore={records.length >= limit} />
        </>
      )}
    </>
  );
}

interface FoundProps {
  readonly kind: KindDescription;
  readonly parent: string | undefined;
  readonly columns: readonly string[];
  readonly records: readonly Signed[];
  readonly isFiltered: boolean;
}

function Found({ kind, parent, columns, records, isFiltered }: FoundProps) {
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
        <RecordsTable {...{ kind, parent, columns, records }} />
      </>
    );
  }
  return (
    <div className="empty">
      <h2>{browseText.empty}</h2>
      <p>{isFiltered ? browseText.emptyFiltered : browseText.emptyAbout(pluralOf(kind))}</p>
    </div>
  );
}
