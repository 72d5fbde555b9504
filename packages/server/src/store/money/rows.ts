import { type RawBuilder, sql } from 'kysely';
import { type PathFilter, rowCondition } from '../queries/filter.js';
import type { AsOf } from '../queries/history.js';
import { type Queryable, statementRunner } from '../queries/statement.js';
import { isInForce } from './limits-in-force.js';

/** A page of what one wallet holds. */
export interface RowsQuery {
  readonly ledger: number;
  /** Luid of the wallet: one made anew under the handle of a dropped one has rows of its own. */
  readonly wallet: string;
  readonly filters: readonly PathFilter[];
  readonly limit: number;
  readonly offset: number;
}

/** One side of a balance, as clients see it. */
export interface BalanceRow {
  readonly symbol: string;
  readonly schema: 'available' | 'reserved';
  readonly amount: number;
  readonly luid: string;
  readonly moment: Date;
  /** Whether it has changed since it was made. */
  readonly changed: boolean;
}

/** A limit as it is served. */
export interface LimitRow {
  readonly body: string;
}

/** What wallets hold, and within which bounds. */
export type MoneyLists = ReturnType<typeof createMoneyLists>;

/** A page, and the number of all rows that match. */
export type PageOfRows<R> = AsOf<{ readonly total: number; readonly rows: readonly R[] }>;

export function createMoneyLists(on: Queryable) {
  const run = statementRunner(on);
  const page = async <R extends object>(query: RowsQuery, of: ListSource): Promise<PageOfRows<R>> => {
    const { ledger, filters, limit, offset } = query;
    const conditions = filters.map((filter) => rowCondition(filter, of.columns));
    const matching = sql`${of.from(query)} ${conditions.length === 0 ? sql`` : sql`and ${sql.join(conditions, sql` and `)}`}`;
    const rows = await run(sql<AsOf<{ total: number; place: number | null } & R>>`
      select l.version, t.total, p.*
      from ledger l
        cross join (select count(*) as total from ${matching}) t
        left join (
          select row_number() over (order by ${of.order}) as place, ${of.select} from ${matching}
          order by place limit ${sql.lit(limit)} offset ${offset}) p on true
      where l.id = ${ledger} order by p.place`);
    return {
      version: rows[0]?.version ?? 0,
      total: rows[0]?.total ?? 0,
      rows: rows.filter(({ place }) => place !== null),
    };
  };
  return {
    /**
     * Balances by symbol, `available` before `reserved`. Both are of one moment: a movement shows in both or in neither.
     *
     * @throws `api.request-timeout` when the query takes too long
     */
    balances: (query: RowsQuery): Promise<PageOfRows<BalanceRow>> => page(query, BALANCE_SOURCE),
    /** Limits by symbol, then metric. @throws as `balances` does */
    limits: (query: RowsQuery): Promise<PageOfRows<LimitRow>> => page(query, LIMIT_SOURCE),
  };
}

/** Where rows of a list are from. */
interface ListSource {
  readonly columns: Readonly<Record<string, RawBuilder<string>>>;
  from(query: RowsQuery): RawBuilder<unknown>;
  readonly order: RawBuilder<unknown>;
  readonly select: RawBuilder<unknown>;
}

const BALANCE_SOURCE: ListSource = {
  columns: { 'data.symbol': sql<string>`b.symbol`, 'data.schema': sql<string>`s.schema` },
  from: ({ ledger, wallet }) => sql`balance b
    cross join lateral (values
      ('available' collate "C", b.available, b.available_luid, b.available_moment, b.available_changed),
      ('reserved', b.reserved, b.reserved_luid, b.reserved_moment, b.reserved_changed)
    ) s(schema, amount, luid, moment, changed)
    where b.ledger_id = ${ledger} and b.wallet = ${wallet} and s.amount is not null`,
  order: sql`b.symbol, s.schema`,
  select: sql`b.symbol, s.schema, s.amount, s.luid, s.moment, s.changed`,
};

const LIMIT_SOURCE: ListSource = {
  columns: { 'data.symbol': sql<string>`w.symbol`, 'data.metric': sql<string>`w.metric` },
  from: ({ ledger, wallet }) => sql`wallet_limit w
    where w.ledger_id = ${ledger} and w.wallet = ${wallet} and ${sql.raw(isInForce('w', 'w.ledger_id'))}`,
  order: sql`w.symbol, w.metric`,
  select: sql`w.body`,
};
