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

/** What was found, and the ledger's version at the moment of the read. */
export type AsOf<T> = T & { readonly version: number };

/** Reads of the append-only history. All are by luid: a handle may have named several records in its time. */
export interface History {
  /** A page of a record's versions, newest first, and how many there are in all. */
  page(
    of: Versioned,
    page: { index: number; limit: number },
  ): Promise<AsOf<{ total: number; changes: StoredChange[] }>>;
  /** One version, or nothing. */
  one(of: Versioned, change: number): Promise<AsOf<{ change?: StoredChange }>>;
  /** The first versions of dropped records that were made from data with that hash, as they were served. */
  dropped(of: { ledger: number; kind: KindName; hash: string }): Promise<string[]>;
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
      const { rows } = await pool.query<AsOf<StoredChange & { total: number }>>({
        name: 'history-page',
        text: `select l.version, t.total, c.change, c.action, c.body
          from ledger l
            cross join (select count(*) as total from change where ledger_id = $1 and luid = $2 and kind = $3) t
            left join lateral (
              select change, action, body from change where ledger_id = $1 and luid = $2 and kind = $3
              order by change desc limit $4 offset $5) c on true
          where l.id = $1 order by c.change desc`,
        values: [ledger, luid, kind, limit, index * limit],
      });
      return {
        version: rows[0]?.version ?? 0,
        total: rows[0]?.total ?? 0,
        changes: rows.flatMap(({ change, action, body }) => (change === null ? [] : [{ change, action, body }])),
      };
    },
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
    async dropped({ ledger, kind, hash }) {
      const { rows } = await pool.query<{ body: string }>({
        name: 'history-dropped',
        text: `select c.body from dropped_record d
            join change c on c.ledger_id = d.ledger_id and c.luid = d.luid and c.change = 1
          where d.ledger_id = $1 and d.kind = $2 and d.hash = $3`,
        values: [ledger, kind, hash],
      });
      return rows.map((row) => row.body);
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
