import type pg from 'pg';
import { limits } from '../limits.js';
import { gather } from './gather.js';

/** A signer record as the key or handle asked for names it, with the circles it is in. */
export interface FoundSigner {
  readonly version: number;
  /** Absent when no signer has the key. Of several with one key, the oldest (contract 03 §1). */
  readonly body?: string;
  readonly circles: readonly string[];
}

export type SignerLookup = (query: { ledger: number; key: string; by: 'public' | 'handle' }) => Promise<FoundSigner>;

interface Row {
  readonly version: number;
  readonly body: string | null;
  readonly circles: string[] | null;
}

const text = (column: 'link' | 'handle') => `
select l.version, s.body, s.circles
from unnest($1::int[], $2::bigint[], $3::text[]) as q(ord, ledger_id, key)
  left join ledger l on l.id = q.ledger_id
  left join lateral (
    select c.body, array(
        select split_part(m.handle, '/', 1) from record m
        where m.ledger_id = r.ledger_id and m.kind = 'circle-signer' and m.link = r.handle order by m.seq) as circles
    from record r join change c using (ledger_id, luid, change)
    where r.ledger_id = q.ledger_id and r.kind = 'signer'
      and r.${column} = q.key
    order by r.seq limit 1
  ) s on true
order by q.ord
`;

/** Signers by key or handle, each with its circles: what a rule about signers is matched against. */
export function createSignerLookup(pool: pg.Pool): SignerLookup {
  const gatherer = (name: string, column: 'link' | 'handle') =>
    gather<{ ledger: number; key: string }, FoundSigner>(
      async (queries) => {
        const { rows } = await pool.query<Row>({
          name,
          text: text(column),
          values: [
            queries.map((_, ord) => ord),
            queries.map((query) => query.ledger),
            queries.map((query) => query.key),
          ],
        });
        return rows.map(({ version, body, circles }) =>
          body === null ? { version, circles: [] } : { version, body, circles: circles ?? [] },
        );
      },
      { batch: limits.batch, queue: limits.queue, lanes: 1 },
    );
  const gatherers = { public: gatherer('signers-by-key', 'link'), handle: gatherer('signers-by-handle', 'handle') };
  return ({ by, ...query }) => gatherers[by](query);
}
