import pg from 'pg';
import { startServer } from '../support/server.js';
import { dumpRows, dumpSchema } from './dump.js';
import { populate } from './populate.js';

/** A database that this release has made and filled, as SQL that makes it again. */
export async function stateOfThisRelease(): Promise<string> {
  const running = await startServer();
  const client = new pg.Client({ connectionString: running.database.url });
  try {
    await populate(running.url);
    await client.connect();
    return `${await dumpSchema(client)}\n${await dumpRows(client)}`;
  } finally {
    await client.end();
    await running.stop();
  }
}
