import { hash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { LruCache } from '../../base/lru-cache.js';
import type { KindName } from '../../kinds/kind.js';
import { condition, isKeyFilter, isSought, isStretch, type PathFilter } from './filter.js';
import { queryLimits } from './query-limits.js';
import { scope } from './scope.js';
import { type Queryable, statementRunner } from './statement.js';
import type { Sized } from './version.js';

export interface ListQuery {
  readonly ledger: number;
  readonly kind: KindName;
  readonly filters: readonly PathFilter[];
  readonly limit: number;
  readonly offset: number;
  /** The error to throw instead of running the query, once the request is over. */
  readonly abandoned?: () => Error | undefined;
  /** Only what comes after this place in the list's order. */
  readonly after?: ListPosition;
}

/**
 * A place in the order of a list: newest change first, then oldest record first (interface/lists#order). Places are
 * unique, so between two pages only writes move records: a changed record moves to the front, a new one appears there,
 * a dropped one is gone, and the records they passed shift by one place. A write that took its moment earlier than
 * another may also become visible later.
 */
export interface ListPosition {
  readonly moment: string;
  readonly seq: number;
}

/** A part of a list, and the ledger's version at the moment of the read. */
export interface ListedPart<T = Sized> {
  readonly version: number;
  readonly records: readonly (T & { readonly place: ListPosition })[];
}

/** The columns of a record in the index of current versions: mostly enough to tell who may see it. */
export interface Indexed {
  readonly luid: string;
  readonly change: number;
  /** The key unique within the kind. */
  readonly key: string;
  readonly status: string | null;
  readonly domain: string | null;
  /**
   * `formatAccessFacts` of its version (`records/document.ts`); null where it was too long, or written by an older release.
   */
  readonly judged: string | null;
}

/** A ledger's own record, in the list that crosses ledgers. */
export interface ListedLedger extends Sized {
  readonly ledger: number;
}

/** Lists of current records. */
export type Lists = ReturnType<typeof createLists>;

type OwnedLedgersQuery = Omit<ListQuery, 'ledger' | 'kind' | 'after'> & { owner: string };

interface ListRow {
  readonly version: number;
  readonly seen: number;
  readonly moment: string;
  readonly seq: number;
  /** Null in the one row of an empty page. */
  readonly luid: string | null;
}

function isRecord({ luid }: ListRow): boolean {
  return luid !== null;
}

/** What a statement returns of each record. */
type PageContent = 'bodies' | 'index';

/** Records at the head of a list that are examined before an index is used: about a third of a millisecond. */
export const SCANNED_HEAD = 500;

/**
 * The most matches that are fetched by the index of documents and sorted. Where there are more, a walk in the list's order
 * soon fills a page.
 */
export const FEW = 2_000;

/** How often in a row lists of one shape were answered by the index of documents. */
interface Streak {
  few: number;
}

/** After a streak of this length the next list is expected to be alike: its head is not scanned. */
const STREAK = 8;

/**
 * Names the lists that probably have about as many matches: those of one ledger and kind, filtered by the same fields. It is a
 * digest, so it is short however long the fields are.
 */
export function listShapeOf({ ledger, kind, filters }: Pick<ListQuery, 'ledger' | 'kind' | 'filters'>): string {
  const shape = [ledger, kind, ...filters.map(({ path, operator }) => `${path} ${operator}`)].join(' ');
  return hash('sha256', shape, 'base64');
}

/**
 * The number of matches is unknown in advance, and PostgreSQL, whose statistics ignore the inside of a document, would
 * have to guess whether to walk the list in order or to use the index of documents. So this code chooses: each step
 * below is cheap where it succeeds, and detects where it fails (decision 0012).
 */
export function createLists(on: Queryable) {
  const streaks = new LruCache<string, Streak>(queryLimits.listed.shapes);
  const run = statementRunner(on);
  const page = async <T>(statement: RawBuilder<T & ListRow>): Promise<ListedPart<T> & { seen: number }> => {
    const rows = await run(statement);
    return {
      version: rows[0]?.version ?? 0,
      seen: rows[0]?.seen ?? 0,
      records: rows.filter(isRecord).map((row) => Object.assign(row, { place: { moment: row.moment, seq: row.seq } })),
    };
  };
  const found = async <T>(query: ListQuery, shown: PageContent): Promise<ListedPart<T>> => {
    const walk = () => page<T>(walkStatement(query, shown));
    if (!query.filters.some(isSought) || query.filters.some(isKeyFilter)) return walk();
    const streak = streaks.getOrSet(listShapeOf(query), () => ({ few: 0 }));
    const isLikelyFew = streak.few >= STREAK;
    if (!isLikelyFew) {
      const head = await page<T>(headStatement(query, shown));
      if (head.records.length === query.limit) {
        streak.few = 0;
        return head;
      }
    }
    const few = await page<T>(fewStatement(query, shown));
    if (few.seen <= FEW) {
      streak.few += 1;
      return few;
    }
    streak.few = 0;
    return walk();
  };
  return {
    /**
     * Current records of one kind in one ledger, with the bodies of those within their share of `queryLimits.answers.atOnce`
     * bytes. They are unchecked: the caller verifies them.
     *
     * @throws LedgerError `api.request-timeout` when the query takes too long
     */
    page: (query: ListQuery): Promise<ListedPart> => found<Sized>(query, 'bodies'),
    /** The same list without bodies: access is judged before any body is fetched. */
    index: (query: ListQuery): Promise<ListedPart<Indexed>> => found<Indexed>(query, 'index'),
    /**
     * The records of the ledgers that the key owns. This is the one list that crosses tenants: all of them have the same
     * owner.
     */
    ledgers: ({ owner, filters, limit, offset }: OwnedLedgersQuery): Promise<readonly ListedLedger[]> => {
      const where = [
        sql<boolean>`r.ledger_id = any(array(
          select id from ledger where owners @> array[${owner}::text] and suspended is distinct from 'all'))`,
        sql<boolean>`r.kind = 'ledger'`,
        ...filters.map((filter) => condition(filter, scope(0, 'ledger'))),
      ];
      return run(sql<ListedLedger>`
        select p.ledger_id as ledger, p.luid, p.change, ${sizeAndBody(limit)}
        from (${pageSql(records(where), limit, offset, 'bodies')}) p
          join change c using (ledger_id, luid, change)
        order by p.moment desc, p.seq`);
    },
  };
}

/** The matches among the newest records: the answer when many match. */
function headStatement<T>(query: ListQuery, shown: PageContent): RawBuilder<T & ListRow> {
  const { filters, limit, offset } = query;
  const stretch = [...whereInOrder(query), ...conditions(query, filters.filter(isStretch))];
  const others = conditions(
    query,
    filters.filter((filter) => !isStretch(filter)),
  );
  // Both are in the order of the list, so the scan of the newest stops when the page is full.
  const newest = sql`select * ${records(stretch)} order by r.moment desc, r.seq limit ${sql.lit(SCANNED_HEAD)}`;
  const matching = sql`from (${newest}) r where ${sql.join(others, sql` and `)}`;
  return pageStatement(query, shown, pageSql(matching, limit, offset, shown));
}

/** The matches that the index of documents finds, sorted: the answer when few match. */
function fewStatement<T>(query: ListQuery, shown: PageContent): RawBuilder<T & ListRow> {
  const { ledger, kind, filters, limit, offset } = query;
  // Written so that only the index of documents is of use: its entries are of this ledger and kind alone. No other index has numbers
  // as `numeric`; a cluster finds the node of the ledger all the same.
  const where = [
    sql<boolean>`r.ledger_id = ${ledger}::numeric`,
    sql<boolean>`r.kind = ${kind}`,
    ...conditions(query, filters),
    ...whereAfter(query),
  ];
  const found = sql`select ${pageColumns(shown)} ${records(where)} limit ${sql.lit(FEW + 1)}`;
  return pageStatement(query, shown, pageSql(sql`from seen r`, limit, offset, shown), found);
}

/** A walk through the list in its order, as far as it takes. */
function walkStatement<T>(query: ListQuery, shown: PageContent): RawBuilder<T & ListRow> {
  const { ledger, kind, filters, limit, offset } = query;
  // Where records are named, the index of names leads to them.
  const lead = filters.some(isKeyFilter)
    ? [sql<boolean>`r.ledger_id = ${ledger}`, sql<boolean>`r.kind = ${kind}`, ...whereAfter(query)]
    : whereInOrder(query);
  const where = [...lead, ...conditions(query, filters)];
  return pageStatement(query, shown, pageSql(records(where), limit, offset, shown));
}

/** Conditions in the form of the indexes that are in list order. */
function whereInOrder(query: ListQuery): RawBuilder<boolean>[] {
  return [sql`r.ledger_id = ${query.ledger}`, sql`r.kind || '' = ${query.kind}`, ...whereAfter(query)];
}

/** The records after the query's place: the first condition is one an index can start at, the second is exact. */
function whereAfter({ after }: ListQuery): RawBuilder<boolean>[] {
  if (!after) return [];
  const moment = sql`${after.moment}::timestamptz`;
  return [sql`r.moment <= ${moment}`, sql`(r.moment < ${moment} or r.seq > ${after.seq})`];
}

function conditions({ ledger, kind }: ListQuery, filters: readonly PathFilter[]): RawBuilder<boolean>[] {
  return filters.map((filter) => condition(filter, scope(ledger, kind)));
}

/**
 * The size of a version in bytes, and its body where that is within its share of the bytes that bypass the semaphore.
 * PostgreSQL keeps the length beside a text that is stored elsewhere, so longer bodies stay unread.
 *
 * @param limit records on the page
 */
function sizeAndBody(limit: number): RawBuilder<unknown> {
  const share = Math.floor(queryLimits.answers.atOnce / limit);
  return sql`c.action, c.mac, octet_length(c.body) as size,
      case when octet_length(c.body) <= ${sql.lit(share)} then c.body end as body`;
}

/**
 * The page is cut from the index of current versions first; then the bodies of its records are fetched, if any.
 *
 * @param seen the records that the page is cut from, when they are to be counted
 */
function pageStatement<T>(
  { ledger, limit }: ListQuery,
  shown: PageContent,
  page: RawBuilder<unknown>,
  seen?: RawBuilder<unknown>,
): RawBuilder<T & ListRow> {
  const bodies = shown === 'bodies';
  return sql<T & ListRow>`
    ${seen ? sql`with seen as materialized (${seen})` : sql``}
    select l.version, ${seen ? sql`(select count(*) from seen)` : sql`0`} as seen,
      p.moment::text as moment, p.seq, p.luid, p.change, ${bodies ? sizeAndBody(limit) : INDEX_COLUMNS}
    from ledger l
      left join (${page}) p on true
      ${bodies ? sql`left join change c on c.ledger_id = ${ledger} and c.luid = p.luid and c.change = p.change` : sql``}
    where l.id = ${ledger}
    order by p.moment desc, p.seq`;
}

const INDEX_COLUMNS = sql`p.handle as key, p.status, p.domain, p.judged`;

/** A page of the records that `from` gives as `r`, in the order of lists: newest change first, then oldest record first. */
function pageSql(from: RawBuilder<unknown>, limit: number, offset: number, shown: PageContent): RawBuilder<unknown> {
  return sql`select ${pageColumns(shown)} ${from}
    order by r.moment desc, r.seq limit ${sql.lit(limit)} ${offset === 0 ? sql`` : sql`offset ${offset}`}`;
}

/** The columns of a page. */
function pageColumns(shown: PageContent): RawBuilder<unknown> {
  const more = shown === 'index' ? sql`, r.handle, r.status, r.domain, r.judged` : sql``;
  return sql`r.ledger_id, r.luid, r.change, r.moment, r.seq${more}`;
}

function records(where: readonly RawBuilder<boolean>[]): RawBuilder<unknown> {
  return sql`from record r where ${sql.join(where, sql` and `)}`;
}
