import type { ChangeAction } from '@countersign/protocol';
import { sql } from 'kysely';
import type pg from 'pg';
import type { KindName } from '../../kinds/kind.js';
import { changeCondition, type PathFilter } from './filter.js';
import { queryLimits } from './query-limits.js';
import { type Queryable, statementRunner } from './statement.js';
import { type ReadGuards, type Sized, STORED_VERSION, type StoredVersion, versionsOf } from './version.js';

/** One stored version. */
export interface StoredChange {
  readonly change: number;
  readonly action: ChangeAction;
  /** The record as it was served in that version. */
  readonly body: string;
}

/** A result, and the ledger's version at the moment of the read. */
export type AsOf<T> = T & { readonly version: number };

/**
 * A page of a record's versions, newest first: the bodies of the first, up to `queryLimits.answers.atOnce` bytes, and the
 * total of matching versions. They are unchecked: the caller verifies them.
 *
 * @throws `api.request-timeout` when the query takes too long
 */
export type HistoryPage = (
  of: Versioned,
  page: { readonly index: number; readonly limit: number; readonly filters: readonly PathFilter[] },
) => Promise<AsOf<{ readonly total: number; readonly changes: readonly Sized[] }>>;

/** Reads of the append-only history. All are by luid: a handle may have named several records in its time. */
export type History = ReturnType<typeof createHistory>;

export interface Versioned {
  readonly ledger: number;
  readonly kind: KindName;
  readonly luid: string;
}

/** Placeholder, replaced by the parameter of the ledger's id. */
const LEDGER_PLACEHOLDER = '$ledger';

export function createHistoryPage(on: Queryable): HistoryPage {
  const run = statementRunner(on);
  return async ({ ledger, kind, luid }, { index, limit, filters }) => {
    const matching = sql.join(
      // An erased version has neither hash nor text.
      [
        sql`c.luid = ${luid} and c.kind = ${kind} and c.hash is not null`,
        ...filters.map((filter) => changeCondition(filter)),
      ],
      sql` and `,
    );
    const versions = sql.join(
      versionsOf(LEDGER_PLACEHOLDER)
        .split(LEDGER_PLACEHOLDER)
        .map((part) => sql.raw(part)),
      sql`${ledger}::bigint`,
    );
    const rows = await run(sql<AsOf<Sized & { total: number }>>`
      select l.version, t.total, p.luid, p.change, p.action, p.mac, octet_length(p.body) as size,
        case when sum(octet_length(p.body)) over (order by p.change desc rows unbounded preceding)
          <= ${sql.lit(queryLimits.answers.atOnce)} then p.body end as body
      from ledger l
        cross join (select count(*) as total from ${versions} c where ${matching}) t
        left join lateral (
          select ${sql.raw(STORED_VERSION)} from ${versions} c where ${matching}
          order by c.change desc limit ${sql.lit(limit)} offset ${index * limit}) p on true
      where l.id = ${ledger} order by p.change desc`);
    return {
      version: rows[0]?.version ?? 0,
      total: rows[0]?.total ?? 0,
      changes: rows.flatMap(({ luid: found, change, action, mac, size, body }) =>
        found === null ? [] : [{ luid: found, change, action, mac, size, body }],
      ),
    };
  };
}

export function createHistory(pool: pg.Pool, { check }: Pick<ReadGuards, 'check'>) {
  return {
    /** One version; `change` is absent when it is missing, or erased. */
    async one(of: Versioned, number: number): Promise<AsOf<{ change?: StoredChange }>> {
      const { ledger, kind, luid } = of;
      const { rows } = await pool.query<AsOf<StoredVersion & { readonly body: string | null }>>({
        name: 'history-one',
        text: `select l.version, ${STORED_VERSION}
          from ledger l
            left join ${versionsOf('$1')} c on c.luid = $2 and c.change = $4 and c.kind = $3
          where l.id = $1`,
        values: [ledger, luid, kind, number],
      });
      const [row] = rows;
      if (!row) return { version: 0 };
      const { version, ...change } = row;
      if (change.luid === null || change.body === null) return { version };
      await check(of, change);
      return { version, change };
    },
    /** The newest version, which tells a record that was dropped, or erased, from one that never was. */
    async latest(of: Versioned): Promise<StoredChange | undefined> {
      const { ledger, kind, luid } = of;
      const { rows } = await pool.query<StoredVersion>({
        name: 'history-latest',
        text: `select ${STORED_VERSION} from change c
          where ledger_id = $1 and luid = $2 and kind = $3 order by change desc limit 1`,
        values: [ledger, luid, kind],
      });
      if (rows[0]) await check(of, rows[0]);
      return rows[0];
    },
  };
}
