import type pg from 'pg';
import type { KindName } from '../kinds/kind.js';
import { limits } from '../limits.js';
import { Recent } from '../recent.js';
import { gather, type Watch } from './gather.js';
import { textArray } from './text-array.js';
import { unnested } from './unnested.js';
import type { Version } from './version.js';

export interface Found {
  /** The ledger's version at the moment of the read: what the caller holds of the ledger is current if it agrees. */
  readonly version: number;
  /** Absent when there is no such record. */
  readonly record?: Version;
}

interface Query {
  readonly ledger: number;
  readonly kind: KindName;
  readonly id: string;
}

export type Lookup = (query: Query & { by: 'handle' | 'luid' }) => Promise<Found>;

interface Row {
  readonly version: number;
  readonly luid: string | null;
  readonly change: number;
  /** Absent also where the version is the one that is known. */
  readonly body: string | null;
  /** Whether it is larger than what is fetched together with others: it is to be looked up alone. */
  readonly large: boolean | null;
}

/** Stands for what is too large to be found together with others. */
const LARGE = Symbol('large');

// The limit keeps the last part from being run at all for what is known; as a condition it would be tried on its result.
const text = (by: 'handle' | 'luid') => `
select l.version, r.luid, r.change, octet_length(c.body) > $7 as large,
  case when octet_length(c.body) <= $7 then c.body end as body
from ${unnested('q', ['ord int', 'ledger_id bigint', 'kind text', 'id text', 'known_luid text', 'known_change int'])}
  left join ledger l on l.id = q.ledger_id
  left join lateral (
    select r.luid, r.change from record r
    where r.ledger_id = q.ledger_id and r.kind = q.kind and r.${by} = q.id
    limit 1
  ) r on true
  left join lateral (
    select c.body from change c
    where c.ledger_id = q.ledger_id and c.luid = r.luid and c.change = r.change
      and (r.luid <> q.known_luid or r.change <> q.known_change)
    limit 1
  ) c on true
order by q.ord
`;

/**
 * Reads current records by handle or luid. Lookups that arrive while one is under way share the next query, which is
 * what makes single reads cheap under load; each answers with the ledger's version, so that no second query is needed
 * to know whether the rules they are judged by are current.
 *
 * Which version is the current one is asked each time, and what it holds only when this process does not know it yet.
 */
export function createLookup(pool: pg.Pool, watch?: Watch): Lookup {
  const known = new Recent<string, Version>(limits.known, ({ body }) => body.length + ENTRY);
  const gatherer = (by: 'handle' | 'luid', { batch, most }: Fetched) => {
    const keyOf = ({ ledger, kind, id }: Query) => `${ledger} ${kind} ${by} ${id}`;
    return gather<Query, Found | typeof LARGE>(
      async (queries) => {
        const versions = queries.map((query) => known.get(keyOf(query)));
        const { rows } = await pool.query<Row>({
          name: `lookup-${by}`,
          text: text(by),
          values: [
            queries.map((_, ord) => ord),
            queries.map((query) => query.ledger),
            textArray(queries.map((query) => query.kind)),
            textArray(queries.map((query) => query.id)),
            textArray(versions.map((version) => version?.luid ?? '')),
            versions.map((version) => version?.change ?? 0),
            most,
          ],
        });
        return rows.map(({ version, luid, change, body, large }, ord) => {
          if (luid === null) return { version };
          if (large) return LARGE;
          if (body === null) return { version, record: versions[ord]! };
          const record = { luid, change, body };
          known.set(keyOf(queries[ord]!), record);
          return { version, record };
        });
      },
      { batch, queue: limits.queue, lanes: 2 },
      watch,
    );
  };
  const gathered = { handle: gatherer('handle', TOGETHER), luid: gatherer('luid', TOGETHER) };
  const alone = { handle: gatherer('handle', ALONE), luid: gatherer('luid', ALONE) };
  return async ({ by, ...query }) => {
    const found = await gathered[by](query);
    return found === LARGE ? ((await alone[by](query)) as Found) : found;
  };
}

/** Lookups in one query, and bytes of a record that it fetches at most. */
export interface Fetched {
  readonly batch: number;
  readonly most: number;
}

/** Many small records in one query, or one of any size: either way no more than a page of a list holds. */
export const TOGETHER: Fetched = { batch: limits.batch, most: limits.answers.page / limits.batch };
export const ALONE: Fetched = { batch: 1, most: 2 ** 31 - 1 };

/** About what a known version takes beside its body, in characters. */
const ENTRY = 300;
