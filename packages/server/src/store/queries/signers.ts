import { type ChangeAction, type JsonObject, type RecordEnvelope, readJson } from '@countersign/protocol';
import type pg from 'pg';
import { gather, gatherLimits } from '../../base/gather.js';
import { LruCache } from '../../base/lru-cache.js';
import { epochOf } from '../epoch-guard.js';
import { KEYED } from './kinds-where.js';
import { ALONE, FETCH_BATCH, type Fetched, type Lookup } from './lookup.js';
import { queryLimits } from './query-limits.js';
import { formatUnnest } from './unnested.js';
import { makeMissingVersion, type ReadGuards, STORED_VERSION, type StoredVersion } from './version.js';

/** The signer that the key or handle leads to, with its circles. */
export interface FoundSigner {
  readonly version: number;
  /** Absent when the key is unregistered. */
  readonly body?: string;
  /**
   * The factor that has the key, where the key stands for a factor of the signer
   * (interface/proofs#for-whom-a-key-stands).
   */
  readonly factor?: string;
  readonly circles: readonly string[];
  /** Whether the signer's record has had a proof of the key that is in it. */
  readonly proven?: boolean;
}

export type SignerLookup = (query: { ledger: number; key: string; by: 'public' | 'handle' }) => Promise<FoundSigner>;

interface SignerRow extends StoredVersion {
  readonly version: number;
  /** Whether it is too large for a shared query, and has to be looked up alone. */
  readonly large: boolean;
  readonly position: number | null;
  readonly factor_luid: string | null;
  readonly factor_change: number;
  readonly factor_action: ChangeAction;
  readonly factor_mac: string | null;
  readonly factor_body: string;
  /** Luids of its memberships of circles. */
  readonly memberships: string[] | null;
  readonly proven: boolean | null;
}

const SIGNER_COLUMNS = ['ord int', 'key text'];

const signerSql = (condition: string) => `
    select ${STORED_VERSION}, array(
        select m.luid from record m
        where m.ledger_id = $1 and m.kind = 'circle-signer' and m.link = r.handle order by m.seq) as memberships,
      r.link_proven as proven
    from record r join change c using (ledger_id, luid, change)
    where r.ledger_id = $1 and r.kind = 'signer' and ${condition}
    limit 1`;

const SIGNER = ['luid', 'change', 'action', 'mac', 'body', 'memberships', 'proven'];
const FACTOR = ['luid', 'change', 'action', 'mac', 'body'];

const joinColumns = (names: readonly string[], of: (name: string) => string) => names.map(of).join(', ');

/** The result, without bodies when signer and factor exceed `$4` bytes together. */
const withSizeLimit = (found: string, position: string, ofNode: string) => `
select version, ${position} as position, size > $4 as large${ofNode},
  luid, change, action, mac, memberships, proven, factor_luid, factor_change, factor_action, factor_mac,
  ${joinColumns(['body', 'factor_body'], (name) => `case when size <= $4 then ${name} end as ${name}`)}
from (
  select *, coalesce(octet_length(body), 0) + coalesce(octet_length(factor_body), 0) as size
  from (${found} offset 0) f
) found
order by ord
`;

const BY_HANDLE = `
select q.ord, l.version, s.*, ${joinColumns(FACTOR, (name) => `null as factor_${name}`)}
from ledger l
  cross join ${formatUnnest('q', SIGNER_COLUMNS, 2)}
  left join lateral (${signerSql('r.handle = q.key')}) s on true
where l.id = $1`;

/**
 * Of the signers and factors that have the key, the one it stands for: holders that proved the key by a proof on the
 * record come first, and among equals the one that took it first. So a key stays with its holder when another writes it
 * into a record. A record out of use keeps its key, so a revoked key does not pass on to the next holder. The statement
 * names the two kinds because a factor's key counts as its signer's.
 */
const BY_KEY = `
select q.ord, l.version, ${joinColumns(SIGNER, (name) => `s.${name}`)},
  ${joinColumns(FACTOR, (name) => `case h.kind when 'signer-factor' then h.${name} end as factor_${name}`)}
from ledger l
  cross join ${formatUnnest('q', SIGNER_COLUMNS, 2)}
  left join lateral (
    select r.kind, r.handle, ${STORED_VERSION} from record r join change c using (ledger_id, luid, change)
    where r.ledger_id = $1 and r.kind in (${KEYED}) and r.link = q.key
    order by r.link_proven desc, coalesce(r.link_since, r.seq) limit 1) h on true
  left join lateral (${signerSql(
    `r.handle = case h.kind when 'signer' then h.handle else h.body::jsonb #>> '{data,signer}' end`,
  )}) s on true
where l.id = $1`;

/** Stands for a signer that is too large for a shared query. */
const LARGE_SIGNER = Symbol('large');

interface SignerQuery {
  readonly ledger: number;
  readonly key: string;
}

/**
 * Signers by key or handle, each with its circles: rules about signers are matched against these.
 *
 * @param lookup reads memberships, which are cached
 */
export function createSignerLookup(pool: pg.Pool, guards: ReadGuards, lookup: Lookup): SignerLookup {
  const { epochs, nodes } = guards;
  const ofNode = nodes.columns('ord = 0');
  const circlesOf = createCircles(guards, lookup);

  const foundIn = async (row: SignerRow, { ledger, key }: SignerQuery, by: 'public' | 'handle') => {
    const { version, position, luid, body, memberships, proven, large } = row;
    if (large) return LARGE_SIGNER;
    epochs.saw(version, position);
    const factor = await checkFactor(guards, row, ledger, key);
    if (luid === null) return { version, circles: [] };
    const handle = factor === undefined ? undefined : String((readJson(factor) as RecordEnvelope).data.signer);
    const is = (data: JsonObject) =>
      by === 'handle' || handle !== undefined ? data.handle === (handle ?? key) : data.public === key;
    await guards.check({ ledger, kind: 'signer', is }, row);
    const circles = await circlesOf(ledger, version, body, memberships ?? []);
    return { version, body, circles, proven: proven === true, factor };
  };

  const gatherer = (name: string, text: string, by: 'public' | 'handle', { batch, most }: Fetched) =>
    gather<SignerQuery, FoundSigner | typeof LARGE_SIGNER>(
      async (queries) => {
        const values = [queries[0]!.ledger, queries.map((_, ord) => ord), queries.map((query) => query.key), most];
        const { rows } = await nodes.read(() => pool.query<SignerRow>({ name, text, values }));
        if (rows.length === 0) return queries.map(() => ({ version: 0, circles: [] }));
        return Promise.all(rows.map((row, ord) => foundIn(row, queries[ord]!, by).catch((error: Error) => error)));
      },
      { batch, queue: gatherLimits.queue, concurrency: queryLimits.lookups.each, apart: ({ ledger }) => ledger },
    );
  const both = (bounds: Fetched) => ({
    public: gatherer('signers-by-key', withSizeLimit(BY_KEY, epochs.walPosition, ofNode), 'public', bounds),
    handle: gatherer('signers-by-handle', withSizeLimit(BY_HANDLE, epochs.walPosition, ofNode), 'handle', bounds),
  });
  const gathered = both(FETCH_BATCH);
  const alone = both(ALONE);
  return async ({ by, ...query }) => {
    const found = await gathered[by](query);
    return found === LARGE_SIGNER ? ((await alone[by](query)) as FoundSigner) : found;
  };
}

/** The factor that has the key, where a row has one. Its signer may be missing. */
async function checkFactor(
  { check }: ReadGuards,
  row: SignerRow,
  ledger: number,
  key: string,
): Promise<string | undefined> {
  const { factor_luid: luid, factor_change: change, factor_action: action, factor_mac: mac, factor_body: body } = row;
  if (luid === null) return undefined;
  const is = (data: JsonObject) => data.public === key;
  await check({ ledger, kind: 'signer-factor', is }, { luid, change, action, mac, body });
  return body;
}

/** The content of a membership, which is made and dropped, but never changed. */
interface Membership {
  readonly circle: string;
  readonly signer: string;
}

type FindCircles = (
  ledger: number,
  version: number,
  signer: string,
  memberships: readonly string[],
) => Promise<string[]>;

/** The circles that memberships put a signer into. The index only names the memberships; each is read and checked. */
function createCircles({ check }: ReadGuards, lookup: Lookup): FindCircles {
  const known = new LruCache<string, Membership>(queryLimits.memberships);
  const membership = async (ledger: number, version: number, luid: string): Promise<Membership | undefined> => {
    const key = `${ledger} ${epochOf(version)} ${luid}`;
    const kept = known.get(key);
    if (kept) return kept;
    const { record } = await lookup({ ledger, kind: 'circle-signer', id: luid, by: 'luid' });
    // Dropped since; the ledger's version has risen, so the result is outdated anyway.
    if (!record) return undefined;
    const { data } = readJson(record.body) as RecordEnvelope;
    const read = { circle: String(data.circle), signer: String(data.signer) };
    known.set(key, read);
    return read;
  };
  return async (ledger, version, signer, memberships) => {
    if (memberships.length === 0) return [];
    const { handle } = (readJson(signer) as RecordEnvelope).data;
    const all = await Promise.all(memberships.map((luid) => membership(ledger, version, luid)));
    for (const [index, one] of all.entries()) {
      // The index names a membership of another signer, so it was altered.
      if (one && one.signer !== handle)
        await check({ ledger, kind: 'circle-signer' }, makeMissingVersion({ luid: memberships[index]!, change: 1 }));
    }
    return all.flatMap((one) => (one ? [one.circle] : []));
  };
}
