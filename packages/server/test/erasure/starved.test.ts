import pg from 'pg';
import { expect, it } from 'vitest';
import { auditLogs } from '../log/audit.js';
import { newLedger } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { erasingLedger, erasureOf } from './support.js';

const server = withServer();

/** More than one process has connections. */
const ERASURES = 30;

it('many erasures of one ledger leave the connections to others', async () => {
  const { url, database } = server.current;
  const client = await erasingLedger(url);
  const other = await newLedger(url);
  const record = await stored(client, 'wallet', { handle: 'gone' });
  ok(await client.drop('/wallets/gone', record));
  await auditLogs(database.url);
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  try {
    // As a sealer has it that takes long.
    await holder.query('begin');
    await holder.query('select from log where ledger_id = (select id from ledger where handle = $1) for update', [
      client.ledger,
    ]);
    const erase = () => client.call('POST', `/wallets/${record.luid}/erase`, erasureOf(record.luid, 2, client.key));
    const answers = Array.from({ length: ERASURES }, erase);
    await eventually(async () => {
      const waiting = `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like 'select from log where%'`;
      expect(await runSql(database.url, waiting)).not.toEqual([]);
    });
    for (let number = 0; number < 5; number += 1) {
      expect((await other.create('/wallets', { handle: `w${number}` })).status).toBe(201);
      expect((await other.get(`/wallets/w${number}`)).status).toBe(200);
    }
    await holder.query('rollback');
    for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
  } finally {
    await holder.end();
  }
});
