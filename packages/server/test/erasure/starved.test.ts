import pg from 'pg';
import { expect, it } from 'vitest';
import { auditLogs } from '../log/audit.js';
import { newLedger } from '../support/client.js';
import { ledgerId } from '../support/ledger-id.js';
import { untilOneWaitsFor } from '../support/locked.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
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
  await auditLogs(database.url, client.ledger);
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  try {
    // As a sealer has it that takes long.
    await holder.query('begin');
    await holder.query('select from log where ledger_id = $1 for update', [await ledgerId(database.url, client)]);
    const erase = () => client.call('POST', `/wallets/${record.luid}/erase`, erasureOf(record.luid, 2, client.key));
    const answers = Array.from({ length: ERASURES }, erase);
    await untilOneWaitsFor(database.url, holder);
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
