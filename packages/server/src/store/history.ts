import type { ChangeAction } from '@countersign/protocol';
import { sql } from 'kysely';
import type pg from 'pg';
import type { KindName } from '../kinds/kind.js';
import { limits } from '../limits.js';
import { changeCondition, type Filter } from './filter.js';
import { type Queryable, statementRunner } from './statement.js';
import type { Sized } from './version.js';

/** One stored version. */
export interface StoredChange {
  readonly change: number;
  readonly action: ChangeAction;
  /** The record as it was served in that version. */
  readonly body: string;
}

/** What was found, and the ledger's version at the moment of the read. */
export type AsOf<T> = T & { readonly version: number };

/** A version in a page of a history: with its body, unless others before it took the room. */
export interface ListedChange extends Sized {
  readonly action: ChangeAction;
}

/**
 * A page of a record's versions, newest first, with the bodies of the first, as many as `limits.answers.atOnce` bytes hold; and
 * how many versions match in all.
 *
 * @throws `api.request-timeout` when they are not found in time
 */
export type HistoryPage = (
  of: Versioned,
  page: { readonly index: number; readonly limit: number; readonly filters: readonly Filter[] },
) => Promise<AsOf<{ readonly total: number; readonly changes: readonly ListedChange[] }>>;

/** Reads of the append-only history. All are by luid: a handle may have named several records in its time. */
export interface History {
  /** One version, or nothing. */
  one(of: Versioned, change: number): Promise<AsOf<{ change?: StoredChange }>>;
  /** The newest version, which tells a dropped record from one that never was. */
  latest(of: Versioned): Promise<StoredChange | undefined>;
}

export interface Versioned {
  readonly ledger: number;
  readonly kind: KindName;
  readonly luid: string;
}

export function createHistoryPage(on: Queryable): HistoryPage {
  const run = statementRunner(on);
  return async ({ ledger, kind, luid }, { index, limit, filters }) => {
    const matching = sql.join(
      [sql`c.luid = ${luid} and c.kind = ${kind}`, ...filters.map((filter) => changeCondition(filter))],
      sql` and `,
    );
    const rows = await run(sql<AsOf<ListedChange & { total: number }>>`
      select l.version, t.total, p.luid, p.change, p.action, octet_length(p.body) as size,
        case when sum(octet_length(p.body)) over (order by p.change desc rows unbounded preceding)
          <= ${sql.lit(limits.answers.atOnce)} then p.body end as body
      from ledger l
        cross join (select count(*) as total from change c where c.ledger_id = ${ledger} and ${matching}) t
        left join lateral (
          select c.luid, c.change, c.action, c.body from change c where c.ledger_id = ${ledger} and ${matching}
          order by c.change desc limit ${sql.lit(limit)} offset ${index * limit}) p on true
      where l.id = ${ledger} order by p.change desc`);
    return {
      version: rows[0]?.version ?? 0,
      total: rows[0]?.total ?? 0,
      changes: rows.flatMap(({ luid: found, change, action, size, body }) =>
        found === null ? [] : [{ luid: found, change, action, size, body }],
      ),
    };
  };
}

export function createHistory(pool: pg.Pool): History {
  return {
    async one({ ledger, kind, luid }, number) {
      const { rows } = await pool.query<AsOf<StoredChange>>({
        name: 'history-one',
        text: `select l.version, c.change, c.action, c.body
          from ledger l
            left join change c on c.ledger_id = l.id and c.luid = $2 and c.change = $4 and c.kind = $3
          where l.id = $1`,
        values: [ledger, luid, kind, number],
      });
      const [row] = rows;
      if (!row) return { version: 0 };
      const { version, change, action, body } = row;
      return change === null ? { version } : { version, change: { change, action, body } };
    },
    async latest({ ledger, kind, luid }) {
      const { rows } = await pool.query<StoredChange>({
        name: 'history-latest',
        text: `select change, action, body from change
          where ledger_id = $1 and luid = $2 and kind = $3 order by change desc limit 1`,
        values: [ledger, luid, kind],
      });
      return rows[0];
    },
  };
}
