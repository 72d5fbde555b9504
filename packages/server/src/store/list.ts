import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely';
import type pg from 'pg';
import type { KindName } from '../kinds/kind.js';
import { condition, type Filter } from './filter.js';
import { scope } from './scope.js';

export interface ListQuery {
  readonly ledger: number;
  readonly kind: KindName;
  readonly filters: readonly Filter[];
  readonly limit: number;
  readonly offset: number;
  /** Only what comes after this place in the list's order. */
  readonly after?: Place;
}

/** A place in the order of a list: newest change first, then oldest record first (contract 01 §10, Order). */
export interface Place {
  readonly moment: string;
  readonly seq: number;
}

export interface Listed {
  readonly version: number;
  readonly records: readonly { readonly place: Place; readonly body: string }[];
}

export interface Lists {
  /** Current records of one kind in one ledger. */
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
  readonly moment: string;
  readonly seq: number;
  readonly body: string | null;
}

export function createLists(pool: pg.Pool): Lists {
  const run = async <T>(statement: RawBuilder<T>): Promise<T[]> => {
    const { sql: text, parameters } = statement.compile(compiler);
    const { rows } = await pool.query<T & pg.QueryResultRow>(text, [...parameters]);
    return rows;
  };
  return {
    async page(query) {
      const rows = await run(pageStatement(query));
      return {
        version: rows[0]?.version ?? 0,
        records: rows.flatMap(({ body, moment, seq }) => (body === null ? [] : [{ place: { moment, seq }, body }])),
      };
    },
    async ledgers({ ids, filters, limit, offset }) {
      const where = [
        sql`r.ledger_id = any(${ids}::bigint[])`,
        sql`r.kind = 'ledger'`,
        ...filters.map((filter) => condition(filter, scope(0, 'ledger'))),
      ];
      const rows = await run(sql<{ body: string }>`
        select c.body from (${newest(where, limit, offset)}) p join change c using (ledger_id, luid, change)
        order by p.moment desc, p.seq`);
      return rows.map((row) => row.body);
    },
  };
}

function pageStatement({ ledger, kind, filters, limit, offset, after }: ListQuery): RawBuilder<Row> {
  const where = [
    sql`r.ledger_id = ${ledger}`,
    // As the index of lists has it.
    sql`r.kind || '' = ${kind}`,
    ...filters.map((filter) => condition(filter, scope(ledger, kind))),
  ];
  if (after) {
    const moment = sql`${after.moment}::timestamptz`;
    where.push(sql`(r.moment < ${moment} or (r.moment = ${moment} and r.seq > ${after.seq}))`);
  }
  return sql<Row>`
    select l.version, p.moment::text as moment, p.seq, c.body
    from ledger l
      left join (${newest(where, limit, offset)}) p on true
      left join change c on c.ledger_id = p.ledger_id and c.luid = p.luid and c.change = p.change
    where l.id = ${ledger}
    order by p.moment desc, p.seq`;
}

/** The page is cut from the index of current versions first; only its records' bodies are then fetched. */
function newest(where: readonly RawBuilder<unknown>[], limit: number, offset: number): RawBuilder<unknown> {
  return sql`select r.ledger_id, r.luid, r.change, r.moment, r.seq from record r
    where ${sql.join(where, sql` and `)} order by r.moment desc, r.seq limit ${limit} offset ${offset}`;
}
