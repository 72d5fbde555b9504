import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { query } from '../events/support.js';
import { newLedger, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { auditLogs } from './audit.js';
import { allSealed } from './reading.js';

const LOG = `ledger_id = (select id from ledger where handle = 'HANDLE')`;

describe('whoever can write to the database, without the master key', () => {
  let server: RunningServer;
  let client: TestClient;

  beforeEach(async () => {
    server = await startServer();
    client = await newLedger(server.url);
    ok(await client.create('/wallets', { handle: 'w' }));
    await allSealed(client);
  });
  afterEach(() => server.stop());

  /** Runs a statement in which `HANDLE` stands for the ledger. */
  // biome-ignore lint/suspicious/noExplicitAny: rows are as the statement has them
  const run = (text: string): Promise<any[]> => query(server, text.replaceAll('HANDLE', client.ledger!));
  const state = async () => (await run(`select size::int as size, checkpoint, stopped from log where ${LOG}`))[0];

  it.each([
    [
      'puts a leaf into the queue',
      `insert into unsealed (ledger_id, luids, changes, leaves)
      select id, array['$wlt.x'], array[1], array[repeat('A', 64)] from ledger where handle = 'HANDLE'`,
    ],
    [
      'puts a leaf there with the code of another',
      `insert into unsealed (ledger_id, luids, changes, leaves)
      select id, array['$wlt.x'], array[1], array[repeat('A', 64) || '.' || repeat('A', 22)] from ledger where handle = 'HANDLE'`,
    ],
    ['has another tree extended', `update log set size = 4, edge = decode(repeat('ab', 32), 'hex') where ${LOG}`],
    ['has the tree begun anew', `update log set size = 0, edge = '', checkpoint = null where ${LOG}`],
    ['gives it another name', `update log set origin = origin || '/2', generation = 2 where ${LOG}`],
  ])('%s: nothing more is signed, and the log is stopped', async (_, text) => {
    const before = await state();
    await run(text);
    ok(await client.create('/wallets', { handle: 'v' }));
    await eventually(async () => expect((await state()).stopped).toMatch(/altered/));
    const [found] = await run(`select count(*)::int as leaves from log_leaf where ${LOG}`);
    expect(found.leaves).toBeLessThanOrEqual(before.size);
    expect((await client.get('/wallets/v')).status).toBe(200);
    // What was shown a moment ago is shown a moment longer.
    await eventually(async () => expect((await client.get('/wallets/w/changes/1/inclusion')).status).toBe(503));
  });

  it('cannot have a checkpoint shown that the log has not signed', async () => {
    await run(
      `update log set cosigned = replace(checkpoint, E'\\n' || size || E'\\n', E'\\n9007199254740991\\n') where ${LOG}`,
    );
    ok(await client.create('/wallets', { handle: 'v' }));
    await allSealed(client);
    const { body } = await client.get('/ledger/log');
    expect(body.data.size).toBeLessThan(1_000);
    expect(body.data.stopped).toBeNull();
    await auditLogs(server.database.url);
  });
});

describe('stopped logs', () => {
  it('keep no other ledger waiting, however many they are', async () => {
    const server = await startServer();
    try {
      // As if all of them had gone back in time: each has something in the queue.
      await query(
        server,
        `with made as (
          insert into ledger (handle, luid, owners) select 'stopped-' || n, '$ldg.stopped' || n, '{}'
          from generate_series(1, 130) n returning id
        ), logs as (
          insert into log (ledger_id, generation, origin, size, edge, stopped)
          select id, 1, 'here/log/' || id, 0, '', 'set back' from made
        )
        insert into unsealed (ledger_id, luids, changes, leaves) select id, array['$wlt.x'], array[1], array['A'] from made`,
      );
      const client = await newLedger(server.url);
      ok(await client.create('/wallets', { handle: 'w' }));
      await allSealed(client);
    } finally {
      await server.stop();
    }
  });
});
