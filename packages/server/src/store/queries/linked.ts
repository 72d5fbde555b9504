import type { JsonObject } from '@countersign/protocol';
import type pg from 'pg';
import type { KindName } from '../../kinds/kind.js';
import { kindNamed } from '../../kinds/registry.js';
import { checkAll, type ReadGuards, STORED_VERSION, type StoredVersion } from './version.js';

export interface LinkQuery {
  readonly ledger: number;
  readonly kind: KindName;
  readonly link: string;
}

/** Finds records of a kind by their link value. */
export function createLinked(pool: pg.Pool, { check }: Pick<ReadGuards, 'check'>) {
  return {
    /** The body of the record that took the link first. */
    async first({ ledger, kind, link }: LinkQuery): Promise<string | undefined> {
      const { rows } = await pool.query<StoredVersion>({
        name: 'linked-first',
        text: `select ${STORED_VERSION} from record r join change c using (ledger_id, luid, change)
          where r.ledger_id = $1 and r.kind = $2 and r.link = $3 order by coalesce(r.link_since, r.seq) limit 1`,
        values: [ledger, kind, link],
      });
      const is = (data: JsonObject) => kindNamed(kind).links.value?.(data) === link;
      await checkAll(check, { ledger, kind, is }, rows);
      return rows[0]?.body;
    },
    /** The keys of at most `limit` records, oldest first. */
    async keys({ ledger, kind, link, limit }: LinkQuery & { readonly limit: number }): Promise<readonly string[]> {
      const { rows } = await pool.query<{ handle: string }>({
        name: 'linked-keys',
        text: `select handle from record where ledger_id = $1 and kind = $2 and link = $3 order by seq limit $4`,
        values: [ledger, kind, link, limit],
      });
      return rows.map(({ handle }) => handle);
    },
  };
}
