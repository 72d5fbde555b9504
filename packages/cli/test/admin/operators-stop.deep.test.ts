import { expect, it } from 'vitest';
import { parseConfig } from '../../../server/src/config.js';
import { newLedger } from '../../../server/test/support/client.js';
import { eventually } from '../../../server/test/support/eventually.js';
import { freePort } from '../../../server/test/support/free-port.js';
import { whileLocked } from '../../../server/test/support/locked.js';
import { TEST_MASTER_KEY, withOwnServer } from '../../../server/test/support/server.js';
import { Cli, withFolder } from '../support/cli.js';
import { listenForOperators } from '../support/operators.js';

const server = withOwnServer();
const folder = withFolder();

it('the listener of operators stops while a look waits for the database', async () => {
  const { url, database } = server.current;
  const { ledger = '' } = await newLedger(url);
  const here = new Cli(folder.path, { COUNTERSIGN_PASSWORD: 'secret' });
  await here.done(['key', 'create', 'alice']);
  const config = parseConfig({
    ADMIN_PORT: String(await freePort()),
    OPERATOR_KEYS: `alice=${(await here.done(['key', 'list', '--json'])).json[0].public}`,
    DATABASE_URL: database.url,
    MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
  });
  const logger = { info() {}, warn() {}, error() {} };
  const listener = await listenForOperators({ config, databaseUrl: database.url, logger, now: Date.now });
  await whileLocked(database.url, 'open_intent', 'o.deadline as expires', async (waiting) => {
    const look = here.call(['admin', 'intents', ledger, '--server', listener.url, '--key', 'alice']);
    await eventually(async () => expect(await waiting()).toBe(1));
    // It is stopped while the table is locked, or never.
    await listener.stop();
    expect((await look).code).toBe(3);
  });
}, 20_000);
