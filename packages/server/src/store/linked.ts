import type pg from 'pg';
import type { KindName } from '../kinds/kind.js';

/** Bodies of the records of a kind with that link value, oldest first. */
export type Linked = (query: { ledger: number; kind: KindName; link: string; limit: number }) => Promise<string[]>;

export function createLinked(pool: pg.Pool): Linked {
  return async ({ ledger, kind, link, limit }) => {
    const { rows } = await pool.query<{ body: string }>({
      name: 'linked',
      text: `select c.body from record r join change c using (ledger_id, luid, change)
        where r.ledger_id = $1 and r.kind = $2 and r.link = $3 order by r.seq limit $4`,
      values: [ledger, kind, link, limit],
    });
    return rows.map((row) => row.body);
  };
}
