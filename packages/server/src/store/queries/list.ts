import { type RawBuilder, sql } from 'kysely';
import { LruCache } from '../../base/lru-cache.js';
import type { KindName } from '../../kinds/kind.js';
import { limits } from '../../limits.js';
import { condition, type Filter, isNamed, isSought, isStretch } from './filter.js';
import { scope } from './scope.js';
import { type Queryable, statementRunner } from './statement.js';
import type { Sized } from './version.js';

export interface ListQuery {
  readonly ledger: number;
  readonly kind: KindName;
  readonly filters: readonly Filter[];
  readonly limit: number;
  readonly offset: number;
  /** What is thrown in place of looking, when nobody waits for the list any more. */
  readonly abandoned?: () => Error | undefined;
  /** Only what comes after this place in the list's order. */
  readonly after?: Place;
}

/**
 * A place in the order of a list: newest change first, then oldest record first (contract 01 §10, Order). No two records
 * share one, so between two pages nothing changes places but by a write: a record that was changed moves to the front,
 * one that is new appears there, one that was dropped is gone, and what they passed is found one place on or back. A
 * write that took its moment earlier than another may also be seen later.
 */
export interface Place {
  readonly moment: string;
  readonly seq: number;
}

/** A part of a list, and the ledger's version at the moment of the read. */
export interface Listed<T = Sized> {
  readonly version: number;
  readonly records: readonly (T & { readonly place: Place })[];
}

/** What the index of current versions holds of a record: enough to tell, mostly, who may see it. */
export interface Indexed {
  readonly luid: string;
  readonly change: number;
  /** The key unique within the kind. */
  readonly key: string;
  readonly status: string | null;
  readonly domain: string | null;
  /** `judgedBy` of its version (`records/judged.ts`); null where it was too long, or written by an older release. */
  readonly judged: string | null;
}

/** A ledger's own record, in the list that crosses ledgers. */
export interface ListedLedger extends Sized {
  readonly ledger: number;
}

export interface Lists {
  /**
   * Current records of one kind in one ledger, with the bodies of those that take no more than their share of
   * `limits.answers.atOnce` bytes. As they were found: whoever takes bodies has to check them.
   *
   * @throws LedgerError `api.request-timeout` when they are not found in time
   */
  page(query: ListQuery): Promise<Listed>;
  /** The same list without bodies: what of them may be seen is told before any is fetched. */
  index(query: ListQuery): Promise<Listed<Indexed>>;
  /** The records of the ledgers that the key owns: the one list that crosses tenants, for who owns them all. */
  ledgers(query: Omit<ListQuery, 'ledger' | 'kind' | 'after'> & { owner: string }): Promise<readonly ListedLedger[]>;
}

interface Row {
  readonly version: number;
  readonly seen: number;
  readonly moment: string;
  readonly seq: number;
  /** Absent in the one row of an empty page. */
  readonly luid: string | null;
}

function isRecord({ luid }: Row): boolean {
  return luid !== null;
}

/** What a statement shows of each record. */
type Shown = 'bodies' | 'index';

/** Records of the head of a list that are looked at before an index is asked: about a third of a millisecond. */
export const HEAD = 500;

/** Records that are sorted at most: those who have more in common are met soon enough on a walk in order. */
export const FEW = 2_000;

/** How often in a row lists by the same fields were answered by the index of documents. */
interface Streak {
  few: number;
}

/** As long a streak is taken to go on: the newest records are then not looked at first. */
const STREAK = 8;

/** What lists that are likely to have as many matches share: of what, and by which fields; cut where it is long. */
function shapeOf({ ledger, kind, filters }: ListQuery): string {
  const shape = [ledger, kind, ...filters.map(({ path, operator }) => `${path} ${operator}`)].join(' ');
  return shape.slice(0, limits.filter);
}

/**
 * How many matches there are is not known before they are looked for, and PostgreSQL, whose statistics know nothing of
 * what is within a document, would have to guess whether to walk the list in order or to ask the index of documents. It
 * is not asked to: each step below is cheap where it can answer, and notices where it cannot (decision 0012).
 */
export function createLists(on: Queryable): Lists {
  const streaks = new LruCache<string, Streak>(limits.listed.shapes);
  const run = statementRunner(on);
  const page = async <T>(statement: RawBuilder<T & Row>): Promise<Listed<T> & { seen: number }> => {
    const rows = await run(statement);
    return {
      version: rows[0]?.version ?? 0,
      seen: rows[0]?.seen ?? 0,
      records: rows.filter(isRecord).map((row) => Object.assign(row, { place: { moment: row.moment, seq: row.seq } })),
    };
  };
  const found = async <T>(query: ListQuery, shown: Shown): Promise<Listed<T>> => {
    const walk = () => page<T>(walkStatement(query, shown));
    if (!query.filters.some(isSought) || query.filters.some(isNamed)) return walk();
    const streak = streaks.take(shapeOf(query), () => ({ few: 0 }));
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
    page: (query) => found<Sized>(query, 'bodies'),
    index: (query) => found<Indexed>(query, 'index'),
    ledgers: ({ owner, filters, limit, offset }) => {
      const where = [
        sql<boolean>`r.ledger_id = any(array(select id from ledger where owners @> array[${owner}::text]))`,
        sql<boolean>`r.kind = 'ledger'`,
        ...filters.map((filter) => condition(filter, scope(0, 'ledger'))),
      ];
      return run(sql<ListedLedger>`
        select p.ledger_id as ledger, p.luid, p.change, ${sizeAndBody(limit)}
        from (${cut(records(where), limit, offset, 'bodies')}) p
          join change c using (ledger_id, luid, change)
        order by p.moment desc, p.seq`);
    },
  };
}

/** What matches among the newest: the answer, when many match. */
function headStatement<T>(query: ListQuery, shown: Shown): RawBuilder<T & Row> {
  const { filters, limit, offset } = query;
  const stretch = [...inOrder(query), ...conditions(query, filters.filter(isStretch))];
  const others = conditions(
    query,
    filters.filter((filter) => !isStretch(filter)),
  );
  // Both are in the order of the list, so no more of the newest are read than it takes to fill the page.
  const newest = sql`select * ${records(stretch)} order by r.moment desc, r.seq limit ${sql.lit(HEAD)}`;
  const matching = sql`from (${newest}) r where ${sql.join(others, sql` and `)}`;
  return pageStatement(query, shown, cut(matching, limit, offset, shown));
}

/** What the index of documents finds, sorted: the answer, when few match. */
function fewStatement<T>(query: ListQuery, shown: Shown): RawBuilder<T & Row> {
  const { ledger, kind, filters, limit, offset } = query;
  // Written so that no index but that of the documents is of use: its entries are of this ledger and kind alone.
  const where = [
    sql<boolean>`r.ledger_id + 0 = ${ledger}`,
    sql<boolean>`r.kind = ${kind}`,
    ...conditions(query, filters),
    ...following(query),
  ];
  const found = sql`select ${columns(shown)} ${records(where)} limit ${sql.lit(FEW + 1)}`;
  return pageStatement(query, shown, cut(sql`from seen r`, limit, offset, shown), found);
}

/** A walk through the list in its order, as far as it takes. */
function walkStatement<T>(query: ListQuery, shown: Shown): RawBuilder<T & Row> {
  const { ledger, kind, filters, limit, offset } = query;
  // Where records are named, the index of names leads to them, and the order of the list to nothing.
  const lead = filters.some(isNamed)
    ? [sql<boolean>`r.ledger_id = ${ledger}`, sql<boolean>`r.kind = ${kind}`, ...following(query)]
    : inOrder(query);
  const where = [...lead, ...conditions(query, filters)];
  return pageStatement(query, shown, cut(records(where), limit, offset, shown));
}

/** Conditions as the indexes that are in the order of lists have them. */
function inOrder(query: ListQuery): RawBuilder<boolean>[] {
  return [sql`r.ledger_id = ${query.ledger}`, sql`r.kind || '' = ${query.kind}`, ...following(query)];
}

/** What comes after the query's place: the first condition is one an index can start at, the second is exact. */
function following({ after }: ListQuery): RawBuilder<boolean>[] {
  if (!after) return [];
  const moment = sql`${after.moment}::timestamptz`;
  return [sql`r.moment <= ${moment}`, sql`(r.moment < ${moment} or r.seq > ${after.seq})`];
}

function conditions({ ledger, kind }: ListQuery, filters: readonly Filter[]): RawBuilder<boolean>[] {
  return filters.map((filter) => condition(filter, scope(ledger, kind)));
}

/**
 * The size of a version in bytes, and its body where it takes no more than its share of what may be fetched without asking
 * for room. Its length stands beside a text that is stored elsewhere: longer bodies are not touched.
 *
 * @param limit records on the page
 */
function sizeAndBody(limit: number): RawBuilder<unknown> {
  const share = Math.floor(limits.answers.atOnce / limit);
  return sql`c.action, c.mac, octet_length(c.body) as size,
      case when octet_length(c.body) <= ${sql.lit(share)} then c.body end as body`;
}

/**
 * The page is cut from the index of current versions first; only its records' bodies are then fetched, if any.
 *
 * @param seen what the page is cut from, when all of that is to be counted
 */
function pageStatement<T>(
  { ledger, limit }: ListQuery,
  shown: Shown,
  page: RawBuilder<unknown>,
  seen?: RawBuilder<unknown>,
): RawBuilder<T & Row> {
  const bodies = shown === 'bodies';
  return sql<T & Row>`
    ${seen ? sql`with seen as materialized (${seen})` : sql``}
    select l.version, ${seen ? sql`(select count(*) from seen)` : sql`0`} as seen,
      p.moment::text as moment, p.seq, p.luid, p.change, ${bodies ? sizeAndBody(limit) : INDEX}
    from ledger l
      left join (${page}) p on true
      ${bodies ? sql`left join change c on c.ledger_id = p.ledger_id and c.luid = p.luid and c.change = p.change` : sql``}
    where l.id = ${ledger}
    order by p.moment desc, p.seq`;
}

const INDEX = sql`p.handle as key, p.status, p.domain, p.judged`;

/** A page of the records that `from` gives as `r`, in the order of lists: newest change first, then oldest record first. */
function cut(from: RawBuilder<unknown>, limit: number, offset: number, shown: Shown): RawBuilder<unknown> {
  return sql`select ${columns(shown)} ${from}
    order by r.moment desc, r.seq limit ${sql.lit(limit)} ${offset === 0 ? sql`` : sql`offset ${offset}`}`;
}

/** What a page is made of. */
function columns(shown: Shown): RawBuilder<unknown> {
  const more = shown === 'index' ? sql`, r.handle, r.status, r.domain, r.judged` : sql``;
  return sql`r.ledger_id, r.luid, r.change, r.moment, r.seq${more}`;
}

function records(where: readonly RawBuilder<boolean>[]): RawBuilder<unknown> {
  return sql`from record r where ${sql.join(where, sql` and `)}`;
}
