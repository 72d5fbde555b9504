import type pg from 'pg';
import { gather, gatherLimits, type Watch } from '../../base/gather.js';
import { LruCache } from '../../base/lru-cache.js';
import type { KindName } from '../../kinds/kind.js';
import { epochOf, VERSIONS_PER_EPOCH } from '../epoch-guard.js';
import { textArray } from '../parameters.js';
import { queryLimits } from './query-limits.js';
import { formatUnnest } from './unnested.js';
import { makeMissingVersion, type ReadGuards, type StoredVersion, type Version } from './version.js';

export interface LookupResult {
  /** The ledger's version at the moment of the read: the caller's cached ledger is current if it has the same. */
  readonly version: number;
  /** Absent when the record is missing. */
  readonly record?: Version;
}

interface RecordQuery {
  readonly ledger: number;
  readonly kind: KindName;
  readonly id: string;
}

export type Lookup = (query: RecordQuery & { by: 'handle' | 'luid' }) => Promise<LookupResult>;

interface LookupRow extends StoredVersion {
  readonly version: number;
  /** Null also where this process knows the version already; so are `action` and `mac`. */
  readonly body: string;
  /** The position of the write-ahead log, where a body was read. */
  readonly position: number | null;
  /** Whether it is too large for a shared query, and has to be looked up alone. */
  readonly large: boolean;
}

/** A cached version, and the epoch it was read in: in another epoch the number may mean another version. */
interface CachedVersion extends Version {
  readonly epoch: number;
}

/** Stands for a record that is too large for a shared query. */
const LARGE_RECORD = Symbol('large');

const LOOKUP_COLUMNS = ['ord int', 'kind text', 'id text', 'known_luid text', 'known_change int', 'known_epoch int'];

// `limit 1` keeps each lateral join a subquery of its own: its conditions skip the read of a known version, instead of
// discarding what was read.
const lookupSql = (by: 'handle' | 'luid', position: string, ofNode: string) => `
select l.version, r.luid, r.change, c.action, c.mac, coalesce(octet_length(c.body) > $8, false) as large,
  case when octet_length(c.body) <= $8 then c.body end as body,
  case when c.action is not null then ${position} end as position${ofNode}
from ledger l
  cross join ${formatUnnest('q', LOOKUP_COLUMNS, 2)}
  left join lateral (
    select r.luid, r.change from record r
    where r.ledger_id = $1 and r.kind = q.kind and r.${by} = q.id
    limit 1
  ) r on true
  left join lateral (
    select c.action, c.mac, c.body from change c
    where c.ledger_id = $1 and c.luid = r.luid and c.change = r.change
      and (r.luid <> q.known_luid or r.change <> q.known_change or l.version / ${VERSIONS_PER_EPOCH} <> q.known_epoch)
    limit 1
  ) c on true
where l.id = $1
order by q.ord
`;

/**
 * Reads current records by handle or luid. Lookups in one ledger that arrive while one is under way share the next
 * query, which makes single reads cheap under load; each answers with the ledger's version, so the same query tells
 * whether the rules they are judged by are current.
 *
 * The current version number is read each time; the body only when this process lacks it.
 */
export function createLookup(pool: pg.Pool, { check, epochs, nodes }: ReadGuards, watch?: Watch): Lookup {
  const known = new LruCache<string, CachedVersion>(queryLimits.known, ({ body }) => body.length + ENTRY_CHARACTERS);
  const gatherer = (by: 'handle' | 'luid', { batch, most }: Fetched) => {
    const keyOf = ({ ledger, kind, id }: RecordQuery) => `${ledger} ${kind} ${by} ${id}`;
    const statement = { name: `lookup-${by}`, text: lookupSql(by, epochs.walPosition, nodes.columns('q.ord = 0')) };

    /** The result where a check is unnecessary: the record is missing, too large or cached; undefined otherwise. */
    const foundAtOnce = ({ version, luid, change, body, large }: LookupRow, before: CachedVersion | undefined) => {
      if (luid === null) return { version };
      if (large) return LARGE_RECORD;
      return body === null && before?.luid === luid && before.change === change
        ? { version, record: before }
        : undefined;
    };

    const foundAnew = async (row: LookupRow, query: RecordQuery): Promise<LookupResult> => {
      const { version, luid, change, action, mac, body, position } = row;
      epochs.saw(version, position);
      const { ledger, kind, id } = query;
      const place = by === 'handle' ? { ledger, kind, key: id } : { ledger, kind };
      await check(place, body === null ? makeMissingVersion(row) : { luid, change, action, mac, body });
      const record = { luid, change, body, epoch: epochOf(version) };
      known.set(keyOf(query), record);
      return { version, record };
    };

    return gather<RecordQuery, LookupResult | typeof LARGE_RECORD>(
      async (queries) => {
        const versions = queries.map((query) => known.get(keyOf(query)));
        const values = [
          queries[0]!.ledger,
          queries.map((_, ord) => ord),
          textArray(queries.map((query) => query.kind)),
          textArray(queries.map((query) => query.id)),
          textArray(versions.map((version) => version?.luid ?? '')),
          versions.map((version) => version?.change ?? 0),
          versions.map((version) => version?.epoch ?? 0),
          most,
        ];
        const { rows } = await nodes.read(() => pool.query<LookupRow>({ ...statement, values }));
        if (rows.length === 0) return queries.map(() => LEDGER_GONE);
        const found = rows.map((row, ord) => {
          const query = queries[ord]!;
          return foundAtOnce(row, versions[ord]) ?? foundAnew(row, query).catch((error: Error) => error);
        });
        return Promise.all(found);
      },
      {
        batch,
        queue: gatherLimits.queue,
        concurrency: queryLimits.lookups.together,
        apart: ledgerOfQuery,
        each: queryLimits.lookups.each,
      },
      watch,
    );
  };
  const gathered = { handle: gatherer('handle', FETCH_BATCH), luid: gatherer('luid', FETCH_BATCH) };
  const alone = { handle: gatherer('handle', ALONE), luid: gatherer('luid', ALONE) };
  return async ({ by, ...query }) => {
    const found = await gathered[by](query);
    return found === LARGE_RECORD ? ((await alone[by](query)) as LookupResult) : found;
  };
}

/** Lookups in one query, and bytes of a record that it fetches at most. */
export interface Fetched {
  readonly batch: number;
  readonly most: number;
}

/** Many small records in one query, or one of any size: either way about as much as a page of a list. */
export const FETCH_BATCH: Fetched = { batch: gatherLimits.batch, most: queryLimits.answers.page / gatherLimits.batch };
export const ALONE: Fetched = { batch: 1, most: 2 ** 31 - 1 };

/** A missing ledger has version 0: the caller's cached ledger is then loaded again, and found missing. */
const LEDGER_GONE: LookupResult = { version: 0 };

function ledgerOfQuery({ ledger }: RecordQuery): number {
  return ledger;
}

/** Approximate size of a cache entry beside its body, in characters. */
const ENTRY_CHARACTERS = 300;
