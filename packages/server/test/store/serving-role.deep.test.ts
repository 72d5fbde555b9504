import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MoneyScene } from '../money/scene.js';
import { createDatabase, createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { asServingRole } from '../support/serving-role.js';
import { runSql } from '../support/sql.js';

let database: TestDatabase;
let serving: string;
let server: RunningServer;

beforeAll(async () => {
  database = await createMigratedDatabase();
  serving = await asServingRole(database.url);
  server = await startServer({ database: { url: serving, drop: async () => {} } });
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});

describe('the role that serves, and owns nothing', () => {
  it('stores records and money, seals them, and has statistics renewed', async () => {
    const scene = await MoneyScene.make(
      server.url,
      Array.from({ length: 210 }, (_, index) => `w-${index}`),
    );
    await stored(scene.client, 'wallet', { handle: 'more' });
    await eventually(async () => expect(await runSql(database.url, 'select from unsealed')).toEqual([]));
    await eventually(async () =>
      expect(
        await runSql(
          database.url,
          `select last_analyze is not null as is from pg_stat_user_tables where relname = 'record'`,
        ),
      ).toEqual([{ is: true }]),
    );
  });

  it.each([
    'create table mine (a int)',
    'create schema mine',
    'create temporary view mine as select 1; drop table change',
    'alter table change disable trigger all',
    'drop trigger append_only on change',
    'create or replace function refuse_rewriting_history() returns trigger language plpgsql as $$ begin return null; end $$',
    'alter function refuse_rewriting_history() rename to other',
    'drop index record_status',
    'set session_replication_role = replica',
    'delete from change',
    'truncate entry',
    'update entry set available = 0',
    'delete from kysely_migration',
    `update change set body = '{}', mac = null`,
    'create trigger mine after insert on record for each row execute function refuse_rewriting_history()',
    `copy (select 1) to program 'true'`,
    'set role postgres',
  ])('may not: %s', async (text) => {
    await expect(runSql(serving, text)).rejects.toMatchObject({
      message: expect.stringMatching(/permission denied|must be owner|append-only|does not exist/),
    });
  });
});

it('is refused in one line where it is no role, or one that may do everything', async () => {
  const { letServe } = await import('../../src/cluster/prepare.js');
  await expect(letServe(database.url, 'nobody-here')).rejects.toThrow(
    /^DATABASE_ROLE nobody-here is not a role of the database/,
  );
  const owner = decodeURIComponent(new URL(database.url).username);
  await expect(letServe(database.url, owner)).rejects.toThrow(/is a superuser, or owns the tables/);
  const empty = await createDatabase();
  const weak = new URL(serving);
  weak.pathname = new URL(empty.url).pathname;
  // The role that serves does not migrate: it says who does.
  const { prepareDatabase } = await import('../../src/cluster/prepare.js');
  const source = { masterKey: Buffer.alloc(32, 7).toString('base64'), dataDir: '/nowhere', workers: 1 };
  await expect(prepareDatabase(weak.href, false, source)).rejects.toThrow(/migrate with the owner of the tables first/);
  await empty.drop();
});
