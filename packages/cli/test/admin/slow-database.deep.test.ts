import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { layCable } from '../../../server/test/store/cable.js';
import { withServer } from '../../../server/test/support/server.js';
import { Cli, withFolder } from '../support/cli.js';

const server = withServer();
const folder = withFolder();

it('a command of operators waits for a database that has much to do, longer than a request would', async () => {
  const cable = await layCable(server.current.database.url);
  try {
    cable.stall();
    const outcome = new Cli(folder.path, { DATABASE_URL: cable.url }).call(['admin', 'ledgers']);
    // Requests give up after 5 s.
    await delay(6_000);
    await cable.mend();
    const { code, err } = await outcome;
    expect({ code, err }).toMatchObject({ code: 0 });
  } finally {
    await cable.close();
  }
});
