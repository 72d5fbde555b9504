import { setTimeout as pause } from 'node:timers/promises';
import { freeBytes } from '@countersign/embedded-postgres/data-dir';
import type pg from 'pg';
import { Type } from 'typebox';
import { BUILD } from '../cluster/build.js';
import { findKeys } from '../cluster/check.js';
import type { Config } from '../config.js';
import type { Keyring } from '../keys/keyring.js';
import { describeKeySource, masterKeyError } from '../keys/master-key.js';
import { databaseLimits } from '../store/database-limits.js';
import { findConnectionRoom } from '../store/deployment/connections.js';
import { readKeyring } from '../store/deployment/master-keys.js';
import { SEEN_WITHIN } from '../store/deployment/presence.js';
import { parseReadOnly, READ_ONLY_ROW } from '../store/deployment/read-only.js';
import { isDistributed } from '../store/nodes/distribution.js';
import { DatabaseUnreachable } from '../store/queries/reach.js';
import { readMigrations } from '../store/sql.js';
import { examineKeys, examineLogs, examineRecords } from './examinations/data.js';
import { type Diagnosis, type Examine, Illness } from './examinations/diagnosis.js';
import { examineTriggers } from './examinations/triggers.js';
import { examineWork } from './examinations/work.js';
import { defineOperation, type OperationDeps } from './operation.js';

/** Looks at a deployment, and changes nothing. */
export const doctor = defineOperation({
  // Ledgers whose keys and logs are looked at, and records whose codes are.
  input: Type.Object({ sample: Type.Integer({ minimum: 1, maximum: 1_000_000 }) }, { additionalProperties: false }),
  changes: () => false,
  mostAfar: { sample: 1_000 },
  run: (deps, { sample }) => examineAll(deps, sample),
});

async function examineAll({ readConfig, onDatabase, now }: OperationDeps, sample: number): Promise<Diagnosis[]> {
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    const text = (error as Error).message.replaceAll('\n', '; ');
    return [{ part: 'settings', isFine: false, text, advice: 'correct them: docs/operations/settings.md' }];
  }
  const found: Diagnosis[] = [
    { part: 'settings', isFine: true, text: 'valid, those of this environment' },
    { part: 'release', isFine: true, text: `${BUILD}, Node.js ${process.versions.node}` },
  ];
  try {
    await onDatabase(async ({ pool }) => {
      for (const [part, examine] of examinations(pool, config, now, sample)) found.push(await diagnose(part, examine));
    });
  } catch (error) {
    found.push(diagnosisWithout(error as Error));
  }
  return found;
}

/** Without a database of this release nothing else can be told. */
function diagnosisWithout(error: Error): Diagnosis {
  const { message: text } = error;
  if (error instanceof Illness) return { part: 'schema', isFine: false, text, advice: error.advice };
  const advice = 'see that it runs, and that DATABASE_URL or --data names it: docs/operations/database.md';
  const isUnreachable = error instanceof DatabaseUnreachable;
  return { part: 'database', isFine: false, text, advice, ...(isUnreachable && { isUnreachable }) };
}

async function diagnose(part: string, examine: Examine): Promise<Diagnosis> {
  try {
    return { part, isFine: true, text: await examine() };
  } catch (error) {
    const advice = error instanceof Illness ? error.advice : 'see the message; report it where it seems wrong';
    return { part, isFine: false, text: (error as Error).message, advice };
  }
}

function examinations(
  pool: pg.Pool,
  config: Config,
  now: () => number,
  sample: number,
): (readonly [part: string, examine: Examine])[] {
  // Asked for once, where it is first looked at.
  let read: Promise<Keyring> | undefined;
  const keys = () => {
    read ??= openKeyring(pool, config);
    return read;
  };
  return [
    ['database', () => examineDatabase(pool)],
    ['writes', () => examineWrites(pool)],
    ['durability', () => examineDurability(pool)],
    ['connections', () => examineConnections(pool, config)],
    ['schema', () => examineSchema(pool)],
    ['clock', () => examineClock(pool, now)],
    ['disk', () => examineDisk(pool, config)],
    ['master key', async () => `${describeKeySource(config)}, ${await keys().then(() => 'the one of this database')}`],
    ['sealed keys', async () => examineKeys(pool, await keys(), sample)],
    ['log', () => examineLogs(pool, sample)],
    ['records', async () => examineRecords(pool, await keys(), sample)],
    ['work', () => examineWork(pool, now())],
  ];
}

async function openKeyring(pool: pg.Pool, config: Config): Promise<Keyring> {
  const held = await findKeys(config);
  try {
    if (held.length === 0) throw masterKeyError(config);
    return await readKeyring(pool, held, describeKeySource(config));
  } catch (error) {
    throw new Illness(
      (error as Error).message,
      'give the keys of the server, MASTER_KEY and MASTER_KEY_NEXT, or --data: docs/operations/keys.md',
    );
  }
}

async function examineDatabase(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ version: string; size: string; ledgers: number; standby: boolean }>(
    `select current_setting('server_version') as version, pg_size_pretty(pg_database_size(current_database())) as size,
       (select count(*)::int from ledger) as ledgers, pg_is_in_recovery() as standby`,
  );
  const { version, size, ledgers, standby } = rows[0]!;
  if (standby)
    throw new Illness(
      `PostgreSQL ${version} is a standby: it takes no writes`,
      'name the primary in DATABASE_URL, or all servers and target_session_attrs=read-write',
    );
  return `PostgreSQL ${version}, ${size}, ${ledgers} ledgers`;
}

async function examineWrites(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ value: string | null; processes: number; drained: number }>(
    `select (select value from deployment where name = $1) as value,
       count(*)::int as processes, (count(*) filter (where is_drained))::int as drained
     from process where seen > clock_timestamp() - make_interval(secs => $2)`,
    [READ_ONLY_ROW, SEEN_WITHIN],
  );
  const { value, processes, drained } = rows[0]!;
  const mode = parseReadOnly(value);
  const taken = mode ? `refused since ${mode.since}, read-only: ${mode.reason}` : 'taken';
  return `${taken}; ${processes - drained} processes serve${drained === 0 ? '' : `, ${drained} are drained`}`;
}

async function examineDurability(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ name: string; setting: string }>(
    `select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit') order by name`,
  );
  const off = rows.filter(({ setting }) => setting === 'off').map(({ name }) => name);
  if (off.length > 0)
    throw new Illness(
      `${off.join(', ')} off: acknowledged writes can be lost`,
      'turn it on in postgresql.conf, and reload',
    );
  return rows.map(({ name, setting }) => `${name} ${setting}`).join(', ');
}

/** Connections that are left free for operators and for one more process. */
const LEAST_FREE = 5;

async function examineConnections(pool: pg.Pool, { workers }: Config): Promise<string> {
  const { used, most, needed, advice } = await findConnectionRoom(pool, workers);
  const text = `${used} of ${most} in use; this server may need ${needed}`;
  if (advice !== undefined) throw new Illness(text, advice);
  if (most - used >= LEAST_FREE) return text;
  throw new Illness(text, `raise max_connections by ${needed} for each further server, or lower WORKERS`);
}

/** What migrations of this release have made, by their text. */
function namesInMigrations(): { readonly tables: string[]; readonly indexes: string[] } {
  const text = readMigrations()
    .map((one) => one.text)
    .join('\n');
  const named = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name!);
  const gone = new Set(named(/^\s*drop (?:table|index) (?:concurrently )?(?:if exists )?(\w+)/gm));
  const left = (names: string[]) => [...new Set(names)].filter((name) => !gone.has(name));
  return {
    tables: left(named(/^create table (\w+)/gm)),
    indexes: left(named(/^create (?:unique )?index (?:concurrently )?(\w+)/gm)),
  };
}

/** Whoever restores a dump, or drops an index to save time, may leave these out. */
async function examineSchema(pool: pg.Pool): Promise<string> {
  const { tables, indexes } = namesInMigrations();
  const wanted = [...indexes, ...tables.map((table) => `${table}_pkey`)];
  const { rows } = await pool.query<{ missing: string[]; invalid: string[] }>(
    `select
       array(select name from unnest($1::text[]) name where to_regclass(name) is null) as missing,
       array(select indexrelid::regclass::text from pg_index i join pg_class c on c.oid = i.indexrelid
         where c.relnamespace = 'public'::regnamespace and not i.indisvalid) as invalid`,
    [wanted],
  );
  const { missing, invalid } = rows[0]!;
  const wrong = [
    ...missing.map((name) => `the index ${name} is missing`),
    ...invalid.map((name) => `the index ${name} is not valid`),
    ...(await examineTriggers(pool)),
  ];
  const source = (await isDistributed(pool))
    ? 'run `countersign-server --migrate`, or make it again as packages/server/sql/distribute.sql has it, on the node of a shard that is named'
    : 'make it again as packages/server/sql/migrations has it';
  const advice = `${source} (reindex for one that is not valid, enable for one that is disabled)`;
  if (wrong.length > 0) throw new Illness(wrong.join('; '), advice);
  return `of this release; ${wanted.length} indexes`;
}

/** Milliseconds beyond which it is told. */
const MOST_APART = 2_000;

async function examineClock(pool: pg.Pool, now: () => number): Promise<string> {
  const apart: number[] = [];
  // The quickest of a few answers tells best.
  for (let asked = 0; asked < 3; asked += 1) {
    const before = now();
    const { rows } = await pool.query<{ at: Date }>('select clock_timestamp() as at');
    apart.push(rows[0]!.at.getTime() - (before + now()) / 2);
    await pause(10);
  }
  const least = apart.reduce((one, other) => (Math.abs(other) < Math.abs(one) ? other : one));
  const text = `${Math.abs(Math.round(least))} ms ${least < 0 ? 'ahead of' : 'behind'} the database's`;
  if (Math.abs(least) <= MOST_APART) return text;
  throw new Illness(
    text,
    'set the clocks of both machines by NTP; writes are refused when this one is five minutes ahead',
  );
}

/** The part of the disk below which creates are refused. */
const LEAST_DISK = 0.1;

async function examineDisk(pool: pg.Pool, { databaseUrl, dataDir }: Config): Promise<string> {
  const free = await freeBytes(dataDir);
  const { rows } = await pool.query<{ size: number }>('select pg_database_size(current_database()) as size');
  const told = `${gibibytes(free)} free where ${dataDir} is`;
  if (databaseUrl !== undefined) return `${told}; that of the database is not seen from here`;
  if (free >= LEAST_DISK * (free + Number(rows[0]!.size)) && free >= databaseLimits.freeDisk.write) return told;
  throw new Illness(told, 'free some space: new records are refused, and below 128 MiB all writes');
}

function gibibytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
