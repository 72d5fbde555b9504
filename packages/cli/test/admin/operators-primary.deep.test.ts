import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveNothingBehind, startService } from '../../../server/test/durability/service.js';
import { newLedger } from '../../../server/test/support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../../../server/test/support/database.js';
import { eventually } from '../../../server/test/support/eventually.js';
import { freePort } from '../../../server/test/support/free-port.js';
import { TEST_MASTER_KEY } from '../../../server/test/support/server.js';
import { runSql } from '../../../server/test/support/sql.js';
import { Cli, withFolder } from '../support/cli.js';

const folder = withFolder();

describe.runIf(process.platform === 'linux')('a change that waits while the primary process is killed', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMigratedDatabase();
  });
  afterAll(async () => {
    await leaveNothingBehind(folder.path);
    await database?.drop();
  });

  it('has the time that a stop gives it, and is then cut short', { timeout: 120_000 }, async () => {
    const here = new Cli(folder.path, { COUNTERSIGN_PASSWORD: 'secret' });
    await here.done(['key', 'create', 'alice']);
    const port = await freePort();
    const service = await startService(join(folder.path, 'server'), 1, {
      DATABASE_URL: database.url,
      MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
      ADMIN_PORT: String(port),
      OPERATOR_KEYS: `alice=${(await here.done(['key', 'list', '--json'])).json[0].public}`,
      LOG_LEVEL: 'warn',
    });
    const { ledger = '' } = await newLedger(service.url);
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    try {
      await holder.query('begin');
      await holder.query('select from ledger where handle = $1 for update', [ledger]);
      const afar = ['--server', `http://127.0.0.1:${port}`, '--key', 'alice'];
      const change = here.call(['admin', 'suspend', ledger, '--reason', 'test', ...afar]);
      const waiting = `select from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like 'update ledger l set version%'`;
      await eventually(async () => expect(await runSql(database.url, waiting)).toHaveLength(1));
      await service.kill();
      // Its process outlives several beats, or the log would not have how the change ended.
      expect((await change).code).toBe(3);
      await eventually(() =>
        expect(service.errors()).toMatch(/The operation was cut short.*what an operator asked for has failed/),
      );
      expect(service.errors()).not.toContain('ERR_IPC_CHANNEL_CLOSED');
    } finally {
      await holder.end();
    }
  });
});
