import { LedgerError } from '@countersign/protocol';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely';
import pg from 'pg';
import type { KindName } from '../kinds/kind.js';
import { limits } from '../limits.js';
import { Recent } from '../recent.js';
import { condition, type Filter, isNamed, isSought, isStretch } from './filter.js';
import { createNames } from './names.js';
import { scope } from './scope.js';
import type { Version } from './version.js';

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

export interface Listed {
  readonly version: number;
  readonly records: readonly (Version & { readonly place: Place })[];
}

export interface Lists {
  /**
   * Current records of one kind in one ledger.
   *
   * @throws LedgerError `api.request-timeout` when they are not found within `limits.listing`
   */
  page(query: ListQuery): Promise<Listed>;
  /** The records of the given ledgers themselves: the one list that crosses tenants, for who owns them all. */
  ledgers(query: Omit<ListQuery, 'ledger' | 'kind' | 'after'> & { ids: readonly number[] }): Promise<readonly string[]>;
}

/** Compiles statements; it never runs one. */
const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

interface Row {
  readonly version: number;
  readonly seen: number;
  readonly moment: string;
  readonly seq: number;
  readonly luid: string;
  readonly change: number;
  readonly body: string | null;
}

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
 * @throws `api.request-timeout` when it was the time to find the list that ran out: it could not be found sooner the next
 *   time, unless what kept the database busy was something else
 */
function throwIfTooLong(error: unknown): never {
  if (!(error instanceof pg.DatabaseError) || error.code !== CANCELED) throw error;
  const detail = `The list was not found within ${limits.listing / 1000} seconds. Filters for equality are found faster.`;
  throw new LedgerError('api.request-timeout', detail);
}

const CANCELED = '57014';

/**
 * How many matches there are is not known before they are looked for, and PostgreSQL, whose statistics know nothing of
 * what is within a document, would have to guess whether to walk the list in order or to ask the index of documents. It
 * is not asked to: each step below is cheap where it can answer, and notices where it cannot (decision 0012).
 */
export function createLists(pool: pg.Pool): Lists {
  const nameOf = createNames();
  const streaks = new Recent<string, Streak>(limits.listed.shapes);
  const run = async <T>(statement: RawBuilder<T>): Promise<T[]> => {
    const { sql: text, parameters } = statement.compile(compiler);
    const name = nameOf(text);
    const query = { ...(name && { name }), text, values: [...parameters] };
    const { rows } = await pool.query<T & pg.QueryResultRow>(query).catch(throwIfTooLong);
    return rows;
  };
  const page = async (statement: RawBuilder<Row>): Promise<Listed & { seen: number }> => {
    const rows = await run(statement);
    return {
      version: rows[0]?.version ?? 0,
      seen: rows[0]?.seen ?? 0,
      records: rows.flatMap(({ body, moment, seq, luid, change }) =>
        body === null ? [] : [{ place: { moment, seq }, luid, change, body }],
      ),
    };
  };
  return {
    async page(query) {
      if (!query.filters.some(isSought) || query.filters.some(isNamed)) return page(walkStatement(query));
      const streak = streaks.take(shapeOf(query), () => ({ few: 0 }));
      const isLikelyFew = streak.few >= STREAK;
      if (!isLikelyFew) {
        const head = await page(headStatement(query));
        if (head.records.length === query.limit || head.seen < HEAD) {
          streak.few = 0;
          return head;
        }
      }
      const few = await page(fewStatement(query));
      if (few.seen <= FEW) {
        streak.few += 1;
        return few;
      }
      streak.few = 0;
      return page(walkStatement(query));
    },
    async ledgers({ ids, filters, limit, offset }) {
      const where = [
        sql<boolean>`r.ledger_id = any(${ids}::bigint[])`,
        sql<boolean>`r.kind = 'ledger'`,
        ...filters.map((filter) => condition(filter, scope(0, 'ledger'))),
      ];
      const rows = await run(sql<{ body: string }>`
        select c.body from (${cut(records(where), limit, offset)}) p
          join change c using (ledger_id, luid, change)
        order by p.moment desc, p.seq`);
      return rows.map((row) => row.body);
    },
  };
}

/** What matches among the newest: the answer, when many match or the list is short. */
function headStatement(query: ListQuery): RawBuilder<Row> {
  const { filters, limit, offset } = query;
  const stretch = [...inOrder(query), ...conditions(query, filters.filter(isStretch))];
  const others = conditions(
    query,
    filters.filter((filter) => !isStretch(filter)),
  );
  const newest = sql`select * ${records(stretch)} order by r.moment desc, r.seq limit ${sql.lit(HEAD)}`;
  return pageStatement(query, cut(sql`from seen r where ${sql.join(others, sql` and `)}`, limit, offset), newest);
}

/** What the index of documents finds, sorted: the answer, when few match. */
function fewStatement(query: ListQuery): RawBuilder<Row> {
  const { ledger, kind, filters, limit, offset } = query;
  // Written so that no index but that of the documents is of use: its entries are of this ledger and kind alone.
  const where = [
    sql<boolean>`r.ledger_id + 0 = ${ledger}`,
    sql<boolean>`r.kind = ${kind}`,
    ...conditions(query, filters),
    ...following(query),
  ];
  const found = sql`select * ${records(where)} limit ${sql.lit(FEW + 1)}`;
  return pageStatement(query, cut(sql`from seen r`, limit, offset), found);
}

/** A walk through the list in its order, as far as it takes. */
function walkStatement(query: ListQuery): RawBuilder<Row> {
  const { ledger, kind, filters, limit, offset } = query;
  // Where records are named, the index of names leads to them, and the order of the list to nothing.
  const lead = filters.some(isNamed)
    ? [sql<boolean>`r.ledger_id = ${ledger}`, sql<boolean>`r.kind = ${kind}`, ...following(query)]
    : inOrder(query);
  const where = [...lead, ...conditions(query, filters)];
  return pageStatement(query, cut(records(where), limit, offset));
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
 * The page is cut from the index of current versions first; only its records' bodies are then fetched.
 *
 * @param seen what the page is cut from, when all of that is to be counted
 */
function pageStatement({ ledger }: ListQuery, page: RawBuilder<unknown>, seen?: RawBuilder<unknown>): RawBuilder<Row> {
  return sql<Row>`
    ${seen ? sql`with seen as materialized (${seen})` : sql``}
    select l.version, ${seen ? sql`(select count(*) from seen)` : sql`0`} as seen,
      p.moment::text as moment, p.seq, p.luid, p.change, c.body
    from ledger l
      left join (${page}) p on true
      left join change c on c.ledger_id = p.ledger_id and c.luid = p.luid and c.change = p.change
    where l.id = ${ledger}
    order by p.moment desc, p.seq`;
}

/** A page of the records that `from` gives as `r`, in the order of lists: newest change first, then oldest record first. */
function cut(from: RawBuilder<unknown>, limit: number, offset: number): RawBuilder<unknown> {
  return sql`select r.ledger_id, r.luid, r.change, r.moment, r.seq ${from}
    order by r.moment desc, r.seq limit ${sql.lit(limit)} ${offset === 0 ? sql`` : sql`offset ${offset}`}`;
}

function records(where: readonly RawBuilder<boolean>[]): RawBuilder<unknown> {
  return sql`from record r where ${sql.join(where, sql` and `)}`;
}
