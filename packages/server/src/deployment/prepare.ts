import { keyCheck } from '../ledgers/master-key.js';
import { assertSameMasterKey } from '../store/key-check.js';
import { migrate } from '../store/migrate.js';
import { createPool } from '../store/pool.js';

/**
 * Brings the database to this release's schema before any process serves, so that what is wrong with it is told once,
 * and clearly.
 *
 * @returns whether it holds no ledger yet
 * @throws when the database is out of reach, cannot be migrated, or was made with another master key
 */
export async function prepareDatabase(databaseUrl: string, masterKey: Buffer): Promise<{ isNew: boolean }> {
  const pool = createPool({ connectionString: databaseUrl, max: 1 }, () => {});
  try {
    await migrate(pool);
    await assertSameMasterKey(pool, keyCheck(masterKey));
    const { rows } = await pool.query<{ empty: boolean }>('select not exists (select from ledger) as empty');
    return { isNew: rows[0]?.empty ?? false };
  } finally {
    await pool.end();
  }
}
