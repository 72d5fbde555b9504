import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { parseConfig } from '../../../server/src/config.js';
import { operatorLimits } from '../../../server/src/operators/operator-limits.js';
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

it('a connection on which no request arrives is closed, and so many are open at a time', async () => {
  const { database } = server.current;
  const port = await freePort();
  const config = parseConfig({
    ADMIN_PORT: String(port),
    OPERATOR_KEYS: `alice=${Buffer.alloc(32, 7).toString('base64')}`,
    DATABASE_URL: database.url,
  });
  const logger = { info() {}, warn() {}, error() {} };
  const listener = await listenForOperators({ config, databaseUrl: database.url, logger, now: Date.now });
  try {
    let closed = 0;
    const idle = Array.from({ length: operatorLimits.connections }, (_, number) => {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      socket.once('close', () => {
        closed += 1;
      });
      // Some begin, and never end.
      if (number % 2 === 0) socket.write('POST /operations/ledgers HTTP/1.1\r\nhost: a\r\n');
      return socket;
    });
    await Promise.all(idle.map((socket) => once(socket, 'connect')));
    const answered = await fetch(listener.url).then(
      ({ status }) => status,
      () => 'closed',
    );
    // On a machine that stood still some may have ended by then.
    if (closed === 0) expect(answered).toBe('closed');
    await eventually(() => expect(closed).toBe(idle.length));
    expect((await fetch(listener.url)).status).toBe(200);
  } finally {
    await listener.stop();
  }
});
