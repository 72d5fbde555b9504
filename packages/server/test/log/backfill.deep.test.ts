import { describe, expect, it } from 'vitest';
import { logLimits } from '../../src/log/log-limits.js';
import { readUnlogged } from '../../src/store/log/backfill.js';
import { createPool } from '../../src/store/pool.js';
import { query } from '../events/support.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { newLedger } from '../support/client.js';
import { createMigratedDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { ok } from '../support/scene.js';
import { startServer } from '../support/server.js';
import { auditLogs } from './audit.js';

/** Takes a database back to before there were logs. */
const FORGET = [
  'truncate log, log_leaf, log_tile, unsealed',
  `insert into log_backfill (ledger_id, luid, change) select id, '', 0 from ledger`,
];

describe('changes of before the log', () => {
  it('are added once, while others come in, and those of a record in their order', async () => {
    const database = await createMigratedDatabase();
    const first = await startServer({ database });
    const money = await MoneyScene.make(first.url);
    await money.issue('alice', 1_000);
    for (let sent = 0; sent < 40; sent += 10) {
      await Promise.all(Array.from({ length: 10 }, () => money.send([transfer('alice', 'bob', 1)])));
    }
    const wallet = ok(await money.client.get('/wallets/alice')).body;
    await first.stop();
    // biome-ignore lint/suspicious/noExplicitAny: a server as far as a statement needs it
    for (const text of FORGET) await query({ database } as any, text);
    const second = await startServer({ database });
    try {
      const client = money.client.at(second.url);
      const again = MoneyScene.of(client);
      ok(await client.update('/wallets/alice', wallet, { ...wallet.data, custom: { seen: true } }));
      await Promise.all(Array.from({ length: 20 }, () => again.send([transfer('bob', 'alice', 1)])));
      await auditLogs(database.url);
    } finally {
      await second.stop();
      await database.drop();
    }
  });

  it('are added so many bytes at a time', async () => {
    const database = await createMigratedDatabase();
    const first = await startServer({ database });
    const client = await newLedger(first.url);
    const [count, length] = [12, 700_000];
    for (let at = 0; at < count; at += 1) {
      ok(await client.create('/wallets', { handle: `w${at}`, custom: { text: 'x'.repeat(length) } }));
    }
    await first.stop();
    // biome-ignore lint/suspicious/noExplicitAny: a server as far as a statement needs it
    const on = { database } as any;
    for (const text of FORGET) await query(on, text);
    const pool = createPool({ connectionString: database.url }, () => {});
    try {
      const [{ ledger }] = (await pool.query('select min(id)::int as ledger from ledger')).rows;
      const { backfill, backfillBytes } = logLimits;
      const bytesOf = (rows: readonly { readonly body: string | null }[]) =>
        rows.reduce((sum, { body }) => sum + Buffer.byteLength(body ?? ''), 0);
      const { rows, end } = await readUnlogged(pool, ledger, backfill, backfillBytes);
      expect(rows.at(-1)).toMatchObject(end!);
      expect(bytesOf(rows)).toBeLessThanOrEqual(backfillBytes);
      expect(bytesOf(rows)).toBeGreaterThan(length);
      // One that is larger than the bound is read alone.
      const alone = await readUnlogged(pool, ledger, backfill, 1);
      expect(alone.rows).toHaveLength(1);
    } finally {
      await pool.end();
    }
    const second = await startServer({ database });
    try {
      await auditLogs(database.url);
    } finally {
      await second.stop();
      await database.drop();
    }
  });

  it('of one ledger that cannot be added keep no other ledger waiting', async () => {
    const database = await createMigratedDatabase();
    const first = await startServer({ database });
    const spoilt = await newLedger(first.url);
    ok(await spoilt.create('/wallets', { handle: 'w' }));
    const sound = await newLedger(first.url);
    ok(await sound.create('/wallets', { handle: 'w' }));
    await first.stop();
    // biome-ignore lint/suspicious/noExplicitAny: a server as far as a statement needs it
    const on = { database } as any;
    for (const text of FORGET) await query(on, text);
    await query(on, 'alter table change disable trigger append_only_but_erasure');
    await query(
      on,
      `update change set body = replace(body, '"w"', '"v"') where kind = 'wallet' and ledger_id = (select min(id) from ledger)`,
    );
    const second = await startServer({ database });
    try {
      const left = () => query(on, 'select ledger_id from log_backfill order by ledger_id');
      await eventually(async () => expect(await left()).toHaveLength(1));
      expect(await query(on, 'select count(*)::int as logs from log where size > 0')).toEqual([{ logs: 1 }]);
    } finally {
      await second.stop();
      await database.drop();
    }
  });
});
