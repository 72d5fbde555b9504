import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openServer } from '../../src/app.js';
import { newLedger } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { ok, stored } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';

let database: TestDatabase;
let running: RunningServer[];

beforeAll(async () => {
  database = await createMigratedDatabase();
  // Three at once on an empty database: the schema is made by one, and none of them fails.
  running = await Promise.all([1, 2, 3].map(() => startServer({ database })));
});

afterAll(async () => {
  for (const server of running) await server.stop();
  await database.drop();
});

async function query(text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

describe('the history in the database', () => {
  it('can be added to and in no way changed', async () => {
    const client = await newLedger(running[0]!.url);
    const wallet = await stored(client, 'wallet', { handle: 'w' });
    ok(await client.drop('/wallets/w', wallet));
    const before = await query('select * from change order by ledger_id, luid, change');
    const attempts = [
      `update change set body = '{}'`,
      'update change set body = body',
      'update change set body = null, hash = null, mac = null',
      'delete from change',
      `delete from change where luid = '${wallet.luid}'`,
      'truncate change',
      `truncate change, record`,
      `with gone as (delete from change returning *) select * from gone`,
      `insert into change select * from change on conflict (ledger_id, luid, change) do update set body = '{}'`,
      `merge into change c using change o on c.luid = o.luid when matched then delete`,
    ];
    for (const attempt of attempts) {
      await expect(query(attempt), attempt).rejects.toMatchObject({
        code: '23001',
        message: expect.stringMatching(/^history is append-only: (UPDATE|DELETE|TRUNCATE) of change refused$/),
      });
    }
    const number = `insert into change select ledger_id, luid, 0, kind, action, moment, hash, body from change`;
    await expect(query(number)).rejects.toMatchObject({ code: '23514' });
    const action = `insert into change select ledger_id, luid, change + 9, kind, 'undo', moment, hash, body from change`;
    await expect(query(action)).rejects.toMatchObject({ code: '23514' });
    expect((await query('select * from change order by ledger_id, luid, change')).rows).toEqual(before.rows);
  });
});

describe('opening a database', () => {
  const open = (masterKey: Buffer) =>
    openServer({
      database: { connectionString: database.url },
      masterKey,
      publicUrl: 'http://ledger.example/v2',
      name: 'test',
      build: '0.0.0',
      logger: pino({ level: 'silent' }),
    });

  it('again and again changes nothing', async () => {
    const schema = `select table_name, column_name, data_type from information_schema.columns
      where table_schema = 'public' order by 1, 2`;
    const before = [
      await query(schema),
      await query('select * from kysely_migration'),
      await query('select * from change'),
    ];
    for (const server of [await startServer({ database }), await startServer({ database })]) {
      await newLedger(server.url);
      await server.stop();
    }
    const after = [await query(schema), await query('select * from kysely_migration')];
    expect(after.map(({ rows }) => rows)).toEqual(before.slice(0, 2).map(({ rows }) => rows));
    expect((await query('select * from change')).rows).toEqual(expect.arrayContaining(before[2]!.rows));
  });

  it('with another master key than its first is refused, and does no harm', async () => {
    await expect(open(Buffer.alloc(32, 8))).rejects.toThrow(
      /^The master key, as it was given, is not the one that this database was made with\.$/,
    );
    const { rows } = await query(`select * from master_key`);
    expect(rows).toHaveLength(1);
    await (await open(Buffer.alloc(32, 7))).close();
    await newLedger(running[1]!.url);
  });

  it('that a later release has migrated is refused', async () => {
    const [{ value }] = (await query(`select value from deployment where name = 'least-schema'`)).rows;
    await query(`insert into kysely_migration (name, timestamp) values ('9999-later', 'now')`);
    await query(`update deployment set value = '9999' where name = 'least-schema'`);
    await expect(open(Buffer.alloc(32, 7))).rejects.toThrow(
      'The database was migrated by a later release (9999-later): use that, or a later one.',
    );
    await query(`delete from kysely_migration where name = '9999-later'`);
    await query(`update deployment set value = '${value}' where name = 'least-schema'`);
  });
});
