import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../../../server/test/support/database.js';
import { freePort } from '../../../server/test/support/free-port.js';
import { runSql } from '../../../server/test/support/sql.js';
import { Cli, withFolder } from '../support/cli.js';

const folder = withFolder();
let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database?.drop());

const check = (url: string) => new Cli(folder.path, { DATABASE_URL: url }).call(['admin', 'check-database', '--json']);

/** What was not met, and why. */
const unmet = (found: { requirement: string; isMet: boolean; error?: string }[]) =>
  found.filter(({ isMet }) => !isMet).map(({ requirement, error }) => [requirement, error]);

it('countersign admin check-database finds all that the server requires in an empty database, and leaves it empty', async () => {
  const { code, json } = await check(database.url);
  expect([code, json.ok, unmet(json.found)]).toEqual([0, true, []]);
  const things = `select relname from pg_class where relnamespace = 'public'::regnamespace
    union all select proname from pg_proc where pronamespace = 'public'::regnamespace`;
  const made = await runSql<{ relname: string }>(
    database.url,
    `select * from (${things}) t where relname !~ '^(pg|citus)_'`,
  );
  expect(made).toEqual([]);
  const { out } = await new Cli(folder.path, { DATABASE_URL: database.url }).done(['admin', 'check-database']);
  expect(out).toMatch(/^✓ PostgreSQL of a supported release, with UTF-8 \(everything\)\n(✓ .*\n)+$/);
});

it('says what is not met, and is refused where the server could not do without it', async () => {
  const name = new URL(database.url).pathname.slice(1);
  await runSql(database.url, `alter database ${name} set default_transaction_read_only = on`);
  // The session that does so goes on as it was.
  const refused = await check(database.url);
  await runSql(database.url, `alter database ${name} reset default_transaction_read_only`);
  expect([refused.code, refused.json.ok]).toEqual([1, false]);
  expect(unmet(refused.json.found)).toEqual([
    ['a primary, which takes writes', 'it is a standby, or read only: the rest is not checked'],
  ]);
  await runSql(database.url, `alter database ${name} set default_transaction_isolation = 'serializable'`);
  const serializable = await check(database.url);
  expect(unmet(serializable.json.found)).toEqual([
    ['read committed as the usual isolation', 'default_transaction_isolation is another'],
  ]);
});

it('is refused without a database of one’s own, and where none answers', async () => {
  const without = await check('');
  expect([without.code, without.err]).toEqual([2, expect.stringContaining('check-database needs DATABASE_URL')]);
  expect((await check(`postgresql://me@127.0.0.1:${await freePort()}/ledger`)).code).toBe(3);
});
