import { seal, sealContext } from '../../src/keys/seal.js';
import type { TestClient } from './client.js';
import { type RunningServer, TEST_MASTER_KEY } from './server.js';
import { runSql } from './sql.js';

/** Gives a stored secret another value, as one that was stored before values were judged. */
export async function plantSecret(
  { database }: Pick<RunningServer, 'database'>,
  client: TestClient,
  path: string,
  name: string,
  value: string,
): Promise<void> {
  const [{ luid: ledger }, { luid }] = [(await client.get('/ledger')).body, (await client.get(path)).body];
  const sealed = seal(TEST_MASTER_KEY, Buffer.from(value), sealContext(ledger, luid, name));
  const text = 'update secret set sealed = $1 where luid = $2 and name = $3 returning name';
  const rows = await runSql(database.url, text, [sealed, luid, name]);
  if (rows.length !== 1) throw new Error(`${path} has no secret ${name}.`);
}
