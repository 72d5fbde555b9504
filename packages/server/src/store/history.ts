import type { ChangeAction } from '@countersign/protocol';
import type pg from 'pg';
import type { KindName } from '../kinds/kind.js';

/** One stored version. */
export interface StoredChange {
  readonly change: number;
  readonly action: ChangeAction;
  /** The record as it was served in that version. */
  readonly body: string;
}

/** Reads of the append-only history. All are by luid: a handle may have named several records in its time. */
export interface History {
  /** A page of a record's versions, newest first, and how many there are in all. */
  page(of: Versioned, page: { index: number; limit: number }): Promise<{ total: number; changes: StoredChange[] }>;
  /** One version, or nothing. */
  one(of: Versioned, change: number): Promise<StoredChange | undefined>;
  /** The newest version, which tells a dropped record from one that never was. */
  latest(of: Versioned): Promise<StoredChange | undefined>;
}

export interface Versioned {
  readonly ledger: number;
  readonly kind: KindName;
  readonly luid: string;
}

export function createHistory(pool: pg.Pool): History {
  return {
    async page({ ledger, kind, luid }, { index, limit }) {
      const { rows } = await pool.query<StoredChange & { total: number }>({
        name: 'history-page',
        text: `select t.total, c.change, c.action, c.body
          from (select count(*) as total from change where ledger_id = $1 and luid = $2 and kind = $3) t
            left join lateral (
              select change, action, body from change where ledger_id = $1 and luid = $2 and kind = $3
              order by change desc limit $4 offset $5) c on true`,
        values: [ledger, luid, kind, limit, index * limit],
      });
      return {
        total: rows[0]?.total ?? 0,
        changes: rows
          .filter((row) => row.change !== null)
          .map(({ change, action, body }) => ({ change, action, body })),
      };
    },
    async one({ ledger, kind, luid }, change) {
      const { rows } = await pool.query<StoredChange>({
        name: 'history-one',
        text: `select change, action, body from change
          where ledger_id = $1 and luid = $2 and change = $4 and kind = $3`,
        values: [ledger, luid, kind, change],
      });
      return rows[0];
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
