import type { Keyring } from '../../src/keys/keyring.js';
import { readKeyring } from '../../src/store/deployment/master-keys.js';
import { createPool } from '../../src/store/pool.js';
import { TEST_MASTER_KEY } from './server.js';

/** The keyring of a deployment, as its operator can read it. */
export async function keyringOf(databaseUrl: string, masterKey = TEST_MASTER_KEY): Promise<Keyring> {
  const pool = createPool({ connectionString: databaseUrl, max: 1 }, () => {});
  try {
    return await readKeyring(pool, [masterKey], 'the key of the test');
  } finally {
    await pool.end();
  }
}
