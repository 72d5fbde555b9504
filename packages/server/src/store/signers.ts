import type pg from 'pg';
import { limits } from '../limits.js';
import { gather } from './gather.js';
import { ALONE, type Fetched, TOGETHER } from './lookup.js';
import { unnested } from './unnested.js';

/** The signer that the key or handle asked for leads to, with the circles it is in. */
export interface FoundSigner {
  readonly version: number;
  /** Absent when nobody has the key. */
  readonly body?: string;
  /** The factor that has the key, where it is one that the key stands for, and not the signer itself (contract 03 §2.5). */
  readonly factor?: string;
  readonly circles: readonly string[];
}

export type SignerLookup = (query: { ledger: number; key: string; by: 'public' | 'handle' }) => Promise<FoundSigner>;

interface Row {
  readonly version: number;
  /** Whether it is larger than what is fetched together with others: it is to be looked up alone. */
  readonly large: boolean;
  readonly body: string | null;
  readonly factor: string | null;
  readonly circles: string[] | null;
}

const ASKED = ['ord int', 'ledger_id bigint', 'key text'];

const signer = (condition: string) => `
    select c.body, array(
        select split_part(m.handle, '/', 1) from record m
        where m.ledger_id = r.ledger_id and m.kind = 'circle-signer' and m.link = r.handle order by m.seq) as circles
    from record r join change c using (ledger_id, luid, change)
    where r.ledger_id = q.ledger_id and r.kind = 'signer' and ${condition}
    limit 1`;

/** What was found, unless signer and factor hold more than `$4` bytes together. */
const within = (found: string) => `
select version, size > $4 as large, circles,
  case when size <= $4 then body end as body, case when size <= $4 then factor end as factor
from (
  select *, coalesce(octet_length(body), 0) + coalesce(octet_length(factor), 0) as size from (${found} offset 0) f
) found
order by ord
`;

const BY_HANDLE = within(`
select q.ord, l.version, s.body, null as factor, s.circles
from ${unnested('q', ASKED)}
  left join ledger l on l.id = q.ledger_id
  left join lateral (${signer('r.handle = q.key')}) s on true`);

/**
 * Of the signers and factors that have the key, the one it stands for: who proved to hold it by a proof on the record before
 * who did not, and among equals who took it first. So nobody takes a key away by writing it into a record of theirs. One
 * that is out of use has it still: what was revoked does not pass on to the next.
 */
const BY_KEY = within(`
select q.ord, l.version, s.body, case h.kind when 'signer-factor' then h.body end as factor, s.circles
from ${unnested('q', ASKED)}
  left join ledger l on l.id = q.ledger_id
  left join lateral (
    select r.kind, r.handle, c.body from record r join change c using (ledger_id, luid, change)
    where r.ledger_id = q.ledger_id and r.kind in ('signer', 'signer-factor') and r.link = q.key
    order by r.link_proven desc, coalesce(r.link_since, r.seq) limit 1) h on true
  left join lateral (${signer(
    `r.handle = case h.kind when 'signer' then h.handle else h.body::jsonb #>> '{data,signer}' end`,
  )}) s on true`);

/** Signers by key or handle, each with its circles: what a rule about signers is matched against. */
export function createSignerLookup(pool: pg.Pool): SignerLookup {
  const gatherer = (name: string, text: string, { batch, most }: Fetched) =>
    gather<{ ledger: number; key: string }, FoundSigner | typeof LARGE>(
      async (queries) => {
        const { rows } = await pool.query<Row>({
          name,
          text,
          values: [
            queries.map((_, ord) => ord),
            queries.map((query) => query.ledger),
            queries.map((query) => query.key),
            most,
          ],
        });
        return rows.map(found);
      },
      { batch, queue: limits.queue, lanes: 1 },
    );
  const both = (bounds: Fetched) => ({
    public: gatherer('signers-by-key', BY_KEY, bounds),
    handle: gatherer('signers-by-handle', BY_HANDLE, bounds),
  });
  const gathered = both(TOGETHER);
  const alone = both(ALONE);
  return async ({ by, ...query }) => {
    const found = await gathered[by](query);
    return found === LARGE ? ((await alone[by](query)) as FoundSigner) : found;
  };
}

/** Stands for what is too large to be found together with others. */
const LARGE = Symbol('large');

function found({ version, large, body, factor, circles }: Row): FoundSigner | typeof LARGE {
  if (large) return LARGE;
  if (body === null) return { version, circles: [] };
  return { version, body, circles: circles ?? [], ...(factor === null ? {} : { factor }) };
}
