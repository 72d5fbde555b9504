import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { migrate } from '../../src/store/migrate.js';
import { createPool } from '../../src/store/pool.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { runSql } from '../support/sql.js';
import { dumpSchema } from './dump.js';

/** Gives an empty database to `make`, and says what schema it has then. */
async function schemaAfter(make: (url: string, client: pg.Client) => Promise<unknown>): Promise<string> {
  const database = await createDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await make(database.url, client);
    return await dumpSchema(client);
  } finally {
    await client.end();
    await database.drop();
  }
}

async function migrated(url: string): Promise<void> {
  const pool = createPool({ connectionString: url, max: 1 }, () => {});
  await migrate(pool);
  await pool.end();
}

it('the schema is the one in schema.sql: `npm run schema` writes it anew', async ({ skip }) => {
  const text = `select current_setting('server_version_num')::int as release`;
  const [server] = await runSql<{ release: number }>(inject('databaseUrl'), text);
  skip(server!.release < 160_000, 'PostgreSQL 15 tells of views in other words');
  await expect(await schemaAfter(migrated)).toMatchFileSnapshot('./schema.sql');
});

it('the dump makes the schema that it was taken of', async () => {
  const dump = await schemaAfter(migrated);
  expect(await schemaAfter((_, client) => client.query(dump))).toBe(dump);
});

describe('the dump', () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  /** The schema that the statements make of an empty one. */
  const schemaWith = async (made: string) => {
    await client.query(`begin; ${made}`);
    return dumpSchema(client).finally(() => client.query('rollback'));
  };

  it.each([
    ['create table t (a int)', 'create table t ('],
    ['create table t (a int); create index i on t (a desc)', 'CREATE INDEX i'],
    ['create table t (a int check (a > 1))', 't_a_check CHECK'],
    ['create table t (a int default 5)', 'a integer default 5'],
    ['create table t (a int, b int generated always as (a + 1) stored)', 'generated always as ((a + 1)) stored'],
    ['create table t (a int); alter table t set (fillfactor = 50)', 'with (fillfactor=50)'],
    ['create view v as select 1 as a', 'create view v as'],
    ['create type t as (a int, b text[])', 'create type t as (\n  a integer,\n  b text[]\n)'],
    ['create table t (a int, b int); create statistics s on a, b from t', 'CREATE STATISTICS'],
  ])('tells of %s', async (made, told) => {
    expect(await schemaWith(made)).toContain(told);
  });

  it.each([
    'create materialized view v as select 1 as a',
    'create sequence s',
    `create type e as enum ('a')`,
    'create domain d as int',
    'create table t (a int); create policy p on t',
  ])('refuses what it does not know: %s', async (made) => {
    await expect(schemaWith(made)).rejects.toThrow('Not known to the dump');
  });
});
