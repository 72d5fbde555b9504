import { encodeBase64 } from '@countersign/protocol';
import type pg from 'pg';
import { native } from '../../auth/native-suite.js';
import { Corrupt, createIntegrity } from '../../integrity/integrity.js';
import type { Keyring } from '../../keys/keyring.js';
import { sealContext } from '../../keys/seal.js';
import type { KindName } from '../../kinds/kind.js';
import { type LedgerStatement, mapConcurrently, readByLedger } from '../../store/nodes/by-ledger.js';
import { isDistributed } from '../../store/nodes/distribution.js';
import { type StoredVersion, versionsOf } from '../../store/queries/version.js';
import { Illness } from './diagnosis.js';

/** Ledgers by chance. */
const SOME = '(select id, handle, luid from ledger order by random() limit $1)';

/** Names that are told; the others are counted. */
const NAMES_TOLD = 5;

function tellNames(names: readonly string[]): string {
  const more = names.length > NAMES_TOLD ? ` and ${names.length - NAMES_TOLD} more` : '';
  return `${names.slice(0, NAMES_TOLD).join(', ')}${more}`;
}

/** Opens the private keys that some ledgers sign with, and counts what is sealed under which master key. */
export async function examineKeys(pool: pg.Pool, keys: Keyring, sample: number): Promise<string> {
  const { rows } = await pool.query<{
    ledger: string;
    owner: string;
    luid: string;
    signer: string;
    public: string;
    name: string;
    sealed: Buffer;
  }>(
    `select l.handle as ledger, l.luid as owner, r.luid, r.handle as signer, r.link as public, s.name, s.sealed
     from ${SOME} l join record r on r.ledger_id = l.id and r.kind = 'signer' and r.handle in ('system', 'system.auth', 'core')
       join secret s on s.ledger_id = l.id and s.luid = r.luid`,
    [sample],
  );
  const wrong = rows.filter(({ owner, luid, name, sealed, public: key }) => {
    try {
      return encodeBase64(native.publicKey(keys.open(sealed, sealContext(owner, luid, name)))) !== key;
    } catch {
      return true;
    }
  });
  const counts = await countSealed(pool);
  const under = counts.map(({ number, count }) => `${count} under master key ${number}`).join(', ');
  const text = `${rows.length} keys of ${new Set(rows.map(({ ledger }) => ledger)).size} ledgers open; sealed are ${under}`;
  if (wrong.length === 0 && counts.length === 1) return text;
  if (wrong.length === 0)
    throw new Illness(text, 'the master key is being replaced: unless countersign admin rotate-key runs, run it again');
  throw new Illness(
    `keys do not open: ${tellNames(wrong.map(({ ledger, signer }) => `${signer} of ${ledger}`))}`,
    'these rows of secret were altered: restore them from a backup',
  );
}

/** How many values are sealed under each master key that the deployment has, or that a value names. */
export async function countSealed(pool: pg.Pool): Promise<{ readonly number: number; readonly count: number }[]> {
  const { rows } = await pool.query<{ number: number; count: number }>(
    `select number, coalesce(count, 0)::bigint as count
     from (select number from master_key) k
       full join (select get_byte(sealed, 0) as number, count(*) from secret group by 1) s using (number)
     order by number`,
  );
  return rows;
}

/** Seconds for which writes may wait to be sealed. */
const MOST_LAG = 60;

interface LogRow {
  readonly handle: string;
  readonly size: number;
  /** Leaves by the rows of leaves. */
  readonly leaves: number;
  readonly isBehind: boolean;
}

const formatLogQuery: LedgerStatement = (
  ledgers,
  id,
) => `select l.handle, g.size, coalesce(f.leaves, 0)::bigint as leaves,
    exists (select from log_backfill b where b.ledger_id = ${id}) as "isBehind"
  from ${ledgers} l join log g on g.ledger_id = ${id}
    left join lateral (select first + octet_length(commitments) / 32 as leaves from log_leaf f
      where f.ledger_id = ${id} order by first desc limit 1) f on true`;

/** Whether logs go on, and have as many leaves as they say. */
export async function examineLogs(pool: pg.Pool, sample: number): Promise<string> {
  const { rows: stopped } = await pool.query<{ handle: string }>(
    'select l.handle from log g join ledger l on l.id = g.ledger_id where g.stopped is not null order by g.ledger_id limit 100',
  );
  if (stopped.length > 0)
    throw new Illness(
      `the log is stopped: ${tellNames(stopped.map(({ handle }) => handle))}`,
      'read docs/operations/backup.md#when-a-log-is-stopped, within days',
    );
  const { rows: waits } = await pool.query<{ lag: number; writes: number }>(
    `select coalesce(extract(epoch from clock_timestamp() - min(moment)), 0)::int as lag, count(*)::int as writes
     from (select moment from unsealed order by ledger_id, id limit 10000) u`,
  );
  const { lag, writes } = waits[0]!;
  if (lag > MOST_LAG)
    throw new Illness(
      `writes have waited for ${lag} s to be sealed`,
      'see that a server runs, and its log for `changes could not be sealed`',
    );
  const { rows: some } = await pool.query<{ id: number }>(`select id from ${SOME} l`, [sample]);
  const rows = await readByLedger<LogRow>(
    pool,
    some.map(({ id }) => id),
    formatLogQuery,
  );
  const wrong = rows.filter(({ size, leaves, isBehind }) => !isBehind && leaves > 0 && size !== leaves);
  if (wrong.length > 0)
    throw new Illness(
      `the head and the leaves differ: ${tellNames(wrong.map(({ handle, size, leaves }) => `${handle} (${size}, ${leaves})`))}`,
      'export and verify these ledgers: docs/export.md; restore what was altered',
    );
  return `${rows.length} agree with their leaves; ${writes === 0 ? 'nothing waits' : `the oldest write waits for ${lag} s`}`;
}

interface RecordRow extends StoredVersion {
  readonly ledger: number;
  readonly handle: string;
  readonly kind: KindName;
  readonly isLogged: boolean;
}

/** Whether versions of some records are as they were stored, and in the log or on the way there. */
export async function examineRecords(pool: pg.Pool, keys: Keyring, sample: number): Promise<string> {
  const rows = await someRecords(pool, sample);
  const random = (bytes: number) => new Uint8Array(bytes);
  const integrity = createIntegrity({ keys, suite: native, random, pool, alarm: () => {} });
  const wrong: string[] = [];
  for (const { ledger, handle, kind, isLogged, ...version } of rows) {
    const name = `change ${version.change} of ${version.luid} in ${handle}`;
    try {
      await integrity.check({ ledger, kind }, version);
      if (!isLogged) wrong.push(`${name} is not in the log`);
    } catch (error) {
      if (!(error instanceof Corrupt)) throw error;
      wrong.push(`${name} ${error.defect}`);
    }
  }
  if (wrong.length === 0) return `${rows.length} are as they were stored, and in the log`;
  throw new Illness(tellNames(wrong), 'restore these rows from a backup: docs/operations/database.md#your-own');
}

/** Pages of the table by chance: rows that lie together are taken together. */
async function someRecords(pool: pg.Pool, sample: number): Promise<RecordRow[]> {
  const isCluster = await isDistributed(pool);
  const { rows: sizes } = await pool.query<{ count: number }>(
    `select greatest(reltuples, 1)::bigint as count from pg_class where oid = 'record'::regclass`,
  );
  // How many rows the nodes of a cluster have is not known here: it begins with few pages.
  let part = isCluster ? LEAST_PART : Math.min(100, (100 * 4 * sample) / sizes[0]!.count);
  const take = isCluster ? sampleCluster : sampleRecords;
  let rows = await take(pool, part, sample);
  // Of a few pages, chance may take none; on a cluster the first part is a guess, which grows until it has the sample.
  while (rows.length < (isCluster ? sample : 1) && part < 100) {
    part = Math.min(100, 10 * part);
    rows = await take(pool, part, sample);
  }
  return rows;
}

/** Percent of the pages. */
const LEAST_PART = 0.01;

/**
 * @param records SQL: rows of the table of records
 * @param id SQL: that of their ledger
 */
const formatRecordsQuery = (records: string, id: string) => `select r.ledger_id as ledger, l.handle, r.kind,
    v.luid, v.change, v.action, v.mac, v.body,
    exists (select from log_leaf f where f.ledger_id = ${id} and f.luid = r.luid and f.change >= r.change)
      or exists (select from unsealed u where u.ledger_id = ${id})
      or exists (select from log_backfill b where b.ledger_id = ${id})
      or not exists (select from log g where g.ledger_id = ${id}) as "isLogged"
  from ${records} r join ledger l on l.id = ${id}
    join lateral ${versionsOf(id)} v on v.luid = r.luid and v.change = r.change`;

/** @param part percent of the pages */
async function sampleRecords(pool: pg.Pool, part: number, sample: number): Promise<RecordRow[]> {
  const some = '(select * from record tablesample system ($1) order by random() limit $2)';
  return (await pool.query<RecordRow>(formatRecordsQuery(some, 'r.ledger_id'), [part, sample])).rows;
}

/** Finds some in all nodes, and reads those of one ledger after the other. */
async function sampleCluster(pool: pg.Pool, part: number, sample: number): Promise<RecordRow[]> {
  const { rows: some } = await pool.query<{ ledger: number; luid: string }>(
    'select r.ledger_id as ledger, r.luid from record r tablesample system ($1) order by random() limit $2',
    [part, sample],
  );
  const text = formatRecordsQuery(
    '(select * from record where ledger_id = $1::bigint and luid = any ($2::text[]))',
    '$1::bigint',
  );
  const luids = new Map<number, string[]>();
  for (const { ledger, luid } of some) luids.set(ledger, [...(luids.get(ledger) ?? []), luid]);
  const found = await mapConcurrently([...luids], async (of) => (await pool.query<RecordRow>(text, of)).rows);
  return found.flat();
}
