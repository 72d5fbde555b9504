import type pg from 'pg';
import { keyCheck, type MasterKeySource, makeMasterKey, missingMasterKey, readMasterKey } from '../keys/master-key.js';
import { assertSameMasterKey, storedCheck } from '../store/key-check.js';
import { migrate, withLock } from '../store/migrate.js';
import { createPool } from '../store/pool.js';
import { assertUsable, explained } from '../store/queries/reach.js';

export interface Prepared {
  readonly masterKey: Buffer;
  /** Whether it holds no ledger yet. */
  readonly isNew: boolean;
}

/**
 * Brings the database to this release's schema before any process serves, so that what is wrong with it is told once,
 * and clearly. A master key is made only for a database that has never been used with one.
 *
 * @param ours whether it is the PostgreSQL that the server runs itself
 * @throws Error in one line for the operator when the database is out of reach, cannot be used or migrated, or was made
 *   with another master key or one that is missing
 */
export async function prepareDatabase(url: string, ours: boolean, source: MasterKeySource): Promise<Prepared> {
  try {
    const pool = createPool({ connectionString: url, max: 2 }, () => {});
    try {
      await assertUsable(pool, url, ours);
      // Of several servers that start at the same instant the first one makes what there is to make.
      const masterKey = await withLock(pool, START_LOCK, () => settleMasterKey(pool, source));
      const { rows } = await pool.query<{ empty: boolean }>('select not exists (select from ledger) as empty');
      return { masterKey, isNew: rows[0]?.empty ?? false };
    } finally {
      await pool.end();
    }
  } catch (error) {
    throw explained(error, url, ours);
  }
}

async function settleMasterKey(pool: pg.Pool, source: MasterKeySource): Promise<Buffer> {
  const known = await readMasterKey(source);
  if (known === undefined && (await storedCheck(pool)) !== undefined) throw missingMasterKey(source);
  await migrate(pool);
  const masterKey = known ?? (await makeMasterKey(source));
  await assertSameMasterKey(pool, keyCheck(masterKey));
  return masterKey;
}

/** The number of the advisory lock: any that nothing else in the database uses. */
const START_LOCK = 7_260_411;
