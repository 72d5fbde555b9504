import type pg from 'pg';
import { keyCheck, loadMasterKey, type MasterKeySource, makeMasterKey, masterKeyError } from '../keys/master-key.js';
import { assertSameMasterKey, findStoredCheck } from '../store/key-check.js';
import { migrate, withLock } from '../store/migrate.js';
import { createPool } from '../store/pool.js';
import { assertUsable, explainError } from '../store/queries/reach.js';

export interface PreparedDatabase {
  readonly masterKey: Buffer;
  /** Whether the database holds no ledger yet. */
  readonly isNew: boolean;
}

/**
 * Migrates the database to this release's schema before any process serves, so that its problems are reported once, and
 * clearly. A master key is made only for a database that has yet to be tied to one.
 *
 * @param ours whether it is the embedded PostgreSQL
 * @throws Error in one line for the operator when the database is out of reach, unusable or fails to migrate, or was
 *   made with another master key or one that is missing
 */
export async function prepareDatabase(url: string, ours: boolean, source: MasterKeySource): Promise<PreparedDatabase> {
  try {
    const pool = createPool({ connectionString: url, max: 2 }, () => {});
    try {
      await assertUsable(pool, url, ours);
      // Of several servers that start at once, the first one creates the key and the schema.
      const masterKey = await withLock(pool, START_LOCK, () => settleMasterKey(pool, source));
      const { rows } = await pool.query<{ empty: boolean }>('select not exists (select from ledger) as empty');
      return { masterKey, isNew: rows[0]?.empty ?? false };
    } finally {
      await pool.end();
    }
  } catch (error) {
    throw explainError(error, url, ours);
  }
}

async function settleMasterKey(pool: pg.Pool, source: MasterKeySource): Promise<Buffer> {
  const known = await loadMasterKey(source);
  if (known === undefined && (await findStoredCheck(pool)) !== undefined) throw masterKeyError(source);
  await migrate(pool);
  const masterKey = known ?? (await makeMasterKey(source));
  await assertSameMasterKey(pool, keyCheck(masterKey));
  return masterKey;
}

/** The number of the advisory lock, unique to this use. */
const START_LOCK = 7_260_411;
