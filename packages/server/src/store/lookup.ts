import type pg from 'pg';
import type { KindName } from '../kinds/kind.js';
import { limits } from '../limits.js';
import { gather, type Watch } from './gather.js';

export interface Found {
  /** The ledger's version at the moment of the read: what the caller holds of the ledger is current if it agrees. */
  readonly version: number;
  /** Absent when there is no such record. */
  readonly record?: { readonly luid: string; readonly change: number; readonly body: string };
}

export type Lookup = (query: { ledger: number; kind: KindName; id: string; by: 'handle' | 'luid' }) => Promise<Found>;

interface Row {
  readonly version: number;
  readonly luid: string | null;
  readonly change: number;
  readonly body: string;
}

const text = (by: 'handle' | 'luid') => `
select l.version, c.luid, c.change, c.body
from unnest($1::int[], $2::bigint[], $3::text[], $4::text[]) as q(ord, ledger_id, kind, id)
  left join ledger l on l.id = q.ledger_id
  left join lateral (
    select c.luid, c.change, c.body from record r join change c using (ledger_id, luid, change)
    where r.ledger_id = q.ledger_id and r.kind = q.kind and r.${by} = q.id
    limit 1
  ) c on true
order by q.ord
`;

/**
 * Reads current records by handle or luid. Lookups that arrive while one is under way share the next query, which is
 * what makes single reads cheap under load; each answers with the ledger's version, so that no second query is needed
 * to know whether the rules they are judged by are current.
 */
export function createLookup(pool: pg.Pool, watch?: Watch): Lookup {
  const gatherer = (by: 'handle' | 'luid') =>
    gather<{ ledger: number; kind: KindName; id: string }, Found>(
      async (queries) => {
        const { rows } = await pool.query<Row>({
          name: `lookup-${by}`,
          text: text(by),
          values: [
            queries.map((_, ord) => ord),
            queries.map((query) => query.ledger),
            queries.map((query) => query.kind),
            queries.map((query) => query.id),
          ],
        });
        return rows.map(found);
      },
      { batch: limits.batch, queue: limits.queue, lanes: 2 },
      watch,
    );
  const gatherers = { handle: gatherer('handle'), luid: gatherer('luid') };
  return ({ by, ...query }) => gatherers[by](query);
}

function found(row: Row): Found {
  const { version, luid, change, body } = row;
  return luid === null ? { version } : { version, record: { luid, change, body } };
}
