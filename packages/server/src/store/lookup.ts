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
  /** Whether others took the room of its body: it is to be looked up again. */
  readonly later: boolean;
}

/** Stands for what is found by a later query. */
const LATER = Symbol('later');

// The limit keeps the last part from being run at all for what is known; as a condition it would be tried on its result.
// Small records come first, so that nobody waits for another's large ones; one is always fetched.
const text = (by: 'handle' | 'luid') => `
select version, luid, change, coalesce(held > ${limits.answers.page} and place > 1, false) as later,
  case when held <= ${limits.answers.page} or place = 1 then body end as body
from (
select q.ord, l.version, r.luid, r.change, c.body,
  row_number() over smallest as place, sum(octet_length(c.body)) over smallest as held
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
window smallest as (order by octet_length(c.body), q.ord rows unbounded preceding)
) found
order by ord
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
  const gatherer = (by: 'handle' | 'luid') => {
    const keyOf = ({ ledger, kind, id }: Query) => `${ledger} ${kind} ${by} ${id}`;
    return gather<Query, Found | typeof LATER>(
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
          ],
        });
        return rows.map(({ version, luid, change, body, later }, ord) => {
          if (luid === null) return { version };
          if (later) return LATER;
          if (body === null) return { version, record: versions[ord]! };
          const record = { luid, change, body };
          known.set(keyOf(queries[ord]!), record);
          return { version, record };
        });
      },
      { batch: limits.batch, queue: limits.queue, lanes: 2 },
      watch,
    );
  };
  const gatherers = { handle: gatherer('handle'), luid: gatherer('luid') };
  return async ({ by, ...query }) => {
    for (;;) {
      const found = await gatherers[by](query);
      if (found !== LATER) return found;
    }
  };
}

/** About what a known version takes beside its body, in characters. */
const ENTRY = 300;
