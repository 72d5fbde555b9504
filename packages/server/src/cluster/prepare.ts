import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Keyring } from '../keys/keyring.js';
import {
  describeKeySource,
  loadMasterKeys,
  type MasterKeySource,
  makeMasterKey,
  masterKeyError,
} from '../keys/master-key.js';
import { findConnectionRoom } from '../store/deployment/connections.js';
import { findMasterKeys, settleMasterKeys } from '../store/deployment/master-keys.js';
import { grantToServe } from '../store/deployment/serving-role.js';
import { migrate, withLock } from '../store/migrate.js';
import { createPool } from '../store/pool.js';
import { assertUsable, explainError } from '../store/queries/reach.js';
import { isUnavailable } from '../store/unavailable.js';

export interface PreparedDatabase {
  /** 32 bytes each; the first is that of the setting. */
  readonly masterKeys: readonly Buffer[];
  readonly keys: Keyring;
  /** Whether the master key was made by this start. */
  readonly isKeyNew: boolean;
  /** Whether the database holds no ledger yet. */
  readonly isNew: boolean;
  /** What to do, in one line, where the database gives fewer connections than this server may need. */
  readonly connectionAdvice: string | undefined;
  /** The names of the migrations that ran. */
  readonly migrated: readonly string[];
}

/**
 * Migrates the database to this release's schema before any process serves, so that its problems are reported once, and
 * clearly. A master key is made only for a database that has yet to be tied to one.
 *
 * @param ours whether it is the embedded PostgreSQL
 * @param wait how long a database that is out of reach is waited for; not at all unless given
 * @throws Error in one line for the operator when the database is out of reach, unusable or fails to migrate, or was
 *   made with another master key or one that is missing
 */
export async function prepareDatabase(
  url: string,
  ours: boolean,
  source: MasterKeySource & { readonly workers: number },
  wait: DatabaseWait = NO_WAIT,
): Promise<PreparedDatabase> {
  return onDatabase(url, ours, wait, async (pool) => {
    // Of several servers that start at once, the first one creates the key and the schema.
    const settled = await withLock(pool, START_LOCK, () => settleMasterKey(pool, source));
    const { rows } = await pool.query<{ empty: boolean }>('select not exists (select from ledger) as empty');
    const { advice: connectionAdvice } = await findConnectionRoom(pool, source.workers);
    return { ...settled, isNew: rows[0]?.empty ?? false, connectionAdvice };
  });
}

/**
 * Migrates a database that servers will use. Whoever does so need not have the master key: where it is set, the database is tied to it or
 * compared with it, as by a start; else that is left to the servers.
 *
 * @returns the names of the migrations that ran
 * @throws Error in one line for the operator, as `prepareDatabase` does
 */
export async function migrateDatabase(
  url: string,
  source: MasterKeySource,
  wait: DatabaseWait,
): Promise<readonly string[]> {
  return onDatabase(url, false, wait, (pool) =>
    withLock(pool, START_LOCK, async () => {
      // No folder is made for a key that is not there.
      const isNowhere = source.masterKey === undefined && !existsSync(source.dataDir);
      const found = isNowhere ? [] : await loadMasterKeys(source);
      const migrated = await migrate(pool);
      if (found.length > 0) await settleMasterKeys(pool, found, describeKeySource(source));
      return migrated;
    }),
  );
}

async function onDatabase<T>(
  url: string,
  ours: boolean,
  wait: DatabaseWait,
  work: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  try {
    const pool = createPool({ connectionString: url, max: 2 }, () => {});
    try {
      await onceReached(() => assertUsable(pool, url, ours), wait);
      return await work(pool);
    } finally {
      await pool.end();
    }
  } catch (error) {
    throw explainError(error, url, ours);
  }
}

/** Lets a role serve that does not own the tables. @throws Error in one line for the operator */
export async function letServe(url: string, role: string): Promise<void> {
  const pool = createPool({ connectionString: url, max: 1 }, () => {});
  try {
    await grantToServe(pool, role);
  } catch (error) {
    throw explainError(error, url, false);
  } finally {
    await pool.end();
  }
}

/** How long a start waits for a database that is out of reach. */
export interface DatabaseWait {
  readonly seconds: number;
  /** Called when the wait begins. */
  readonly begin: () => void;
}

const NO_WAIT: DatabaseWait = { seconds: 0, begin() {} };

/** Milliseconds from one look to the next. */
const LOOKS = 500;

/** @throws what `look` throws when the database was not reached in time, or has refused */
async function onceReached(look: () => Promise<void>, { seconds, begin }: DatabaseWait): Promise<void> {
  const until = performance.now() + seconds * 1_000;
  for (let looks = 1; ; looks += 1) {
    try {
      return await look();
    } catch (error) {
      if (!isUnavailable(error) || performance.now() + LOOKS > until) throw error;
      if (looks === 1) begin();
      await pause(LOOKS);
    }
  }
}

async function settleMasterKey(
  pool: pg.Pool,
  source: MasterKeySource,
): Promise<Omit<PreparedDatabase, 'isNew' | 'connectionAdvice'>> {
  const found = await loadMasterKeys(source);
  const isKeyNew = found.length === 0;
  if (isKeyNew && (await findMasterKeys(pool)).length > 0) throw masterKeyError(source);
  const migrated = await migrate(pool);
  const masterKeys = isKeyNew ? [await makeMasterKey(source)] : found;
  const keys = await settleMasterKeys(pool, masterKeys, describeKeySource(source));
  return { masterKeys, keys, isKeyNew, migrated };
}

/** The number of the advisory lock, unique to this use. */
const START_LOCK = 7_260_411;
