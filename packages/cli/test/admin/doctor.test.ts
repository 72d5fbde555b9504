import { beforeEach, expect, it } from 'vitest';
import { newLedger } from '../../../server/test/support/client.js';
import { createDatabase, createMigratedDatabase } from '../../../server/test/support/database.js';
import { eventually } from '../../../server/test/support/eventually.js';
import { placeOf } from '../../../server/test/support/nodes.js';
import { stored } from '../../../server/test/support/scene.js';
import { TEST_MASTER_KEY, withOwnServer } from '../../../server/test/support/server.js';
import { closeSql, runSql } from '../../../server/test/support/sql.js';
import { Cli, withFolder } from '../support/cli.js';

const server = withOwnServer();
const folder = withFolder();
const MASTER_KEY = TEST_MASTER_KEY.toString('base64');
let cli: Cli;

beforeEach(() => {
  cli = new Cli(folder.path, { DATABASE_URL: server.current.database.url, MASTER_KEY, DATA_DIR: folder.path });
});

const sql = (text: string, values: unknown[] = []) => runSql(server.current.database.url, text, values);

/** What is said of the parts that are not fine. The cluster of tests is not durable. */
async function illnesses(more: Record<string, string> = {}): Promise<Record<string, string>> {
  const { json } = await cli.with(more).call(['admin', 'doctor', '--json']);
  const ill = json.found.filter(
    ({ isFine, part }: { isFine: boolean; part: string }) => !isFine && part !== 'durability',
  );
  for (const { advice } of ill) expect(advice).toMatch(/^\w/);
  return Object.fromEntries(ill.map(({ part, text }: { part: string; text: string }) => [part, text]));
}

it('countersign admin doctor finds nothing wrong with a server that goes on, and says what it is', async () => {
  const client = await newLedger(server.current.url);
  for (let made = 0; made < 5; made += 1) await stored(client, 'wallet', { handle: `w-${made}` });
  await eventually(async () => expect(await illnesses()).toEqual({}));
  const { out } = await cli.call(['admin', 'doctor']);
  expect(out).toMatch(/^✓ settings {5}valid, those of this environment\n✓ release {6}\d/);
  expect(out).toMatch(/\n✓ schema {7}of this release; \d\d indexes\n/);
  expect(out).toMatch(/\n✓ master key {3}MASTER_KEY or its file, the one of this database\n/);
  expect(out).toMatch(/\n✓ sealed keys {2}\d+ keys of \d+ ledgers open; sealed are \d+ under master key 1\n/);
  expect(out).toMatch(/\n✓ records {6}\d+ are as they were stored, and in the log\n/);
});

it('names a function that does not keep the history any more', async () => {
  const [{ name }] = (await sql(
    `select case when to_regclass('pg_dist_partition') is null then 'public' else 'cluster' end || '.refuse_rewriting_history' as name`,
  )) as [{ name: string }];
  const [{ text }] = (await sql('select pg_get_functiondef($1::regproc) as text', [name])) as [{ text: string }];
  await sql(`create or replace function ${name}() returns trigger language plpgsql as 'begin return old; end'`);
  const { schema } = await illnesses();
  for (const table of ['change', 'entry'])
    expect(schema).toMatch(
      new RegExp(
        `the function (cluster.)?refuse_rewriting_history of the trigger append_only(_rows)? on ${table} differs from this release`,
      ),
    );
  await sql(text);
  expect(await illnesses()).toEqual({});
});

it('names a trigger that is disabled, defined otherwise or missing, on a shard of a cluster as well', async () => {
  const client = await newLedger(server.current.url);
  const { url, table } = await placeOf(server.current.database.url, 'change', client.ledger!);
  const suffix = table.slice('change'.length);
  const trigger = `append_only_but_erasure${suffix}`;
  const on = suffix && ` (shard ${suffix.slice(1)})`;
  const event = (of: string) =>
    `create or replace trigger ${trigger} before update ${of} on ${table} for each row execute function public.refuse_rewriting_but_erasure()`;
  for (const [alter, mend, told] of [
    [
      `alter table ${table} disable trigger ${trigger}`,
      `alter table ${table} enable trigger ${trigger}`,
      'is disabled',
    ],
    [event('of moment'), event(''), 'is defined otherwise than in this release'],
    [`drop trigger ${trigger} on ${table}`, event(''), 'is missing'],
  ] as const) {
    await runSql(url, alter);
    expect(await illnesses(), alter).toEqual({ schema: `the trigger append_only_but_erasure on change ${told}${on}` });
    await runSql(url, mend);
  }
  expect(await illnesses()).toEqual({});
  if (url !== server.current.database.url) await closeSql(url);
});

it('names what was altered, what is missing, and what stands still', async () => {
  const client = await newLedger(server.current.url);
  const { luid } = await stored(client, 'wallet', { handle: 'w' });
  const [{ id }] = (await sql('select id from ledger where handle = $1', [client.ledger])) as [{ id: string }];
  // Sealing would write the head of the log anew.
  await eventually(async () => expect(await sql('select from unsealed')).toEqual([]));
  expect(await illnesses()).toEqual({});
  const quiet = `with quiet as (select set_config('session_replication_role', 'replica', true))`;
  const place = await placeOf(server.current.database.url, 'change', client.ledger!);
  const alter = `${quiet} update ${place.table} set body = replace(body, '"w"', '"v"') from quiet where luid = $1`;
  await runSql(place.url, alter, [luid]);
  await closeSql(place.url);
  await sql('drop index record_status');
  await sql(
    `update secret s set sealed = sealed || '\\x00' from record r
    where s.ledger_id = $1 and r.ledger_id = $1 and r.luid = s.luid and r.handle = 'core'`,
    [id],
  );
  await sql('update log set size = size + 1 where ledger_id = $1', [id]);
  await sql(`insert into lease (ledger_id, worker, unit, until, failures) values (0, 'x', '', now(), 9)`);
  expect(await illnesses()).toEqual({
    schema: 'the index record_status is missing',
    'sealed keys': `keys do not open: core of ${client.ledger}`,
    log: expect.stringMatching(`^the head and the leaves differ: ${client.ledger} \\(`),
    records: `change 1 of ${luid} in ${client.ledger} is not the text that was stored`,
    work: 'fails again and again: x (1)',
  });
  await sql(`update log set stopped = 'lost leaves' where ledger_id = $1`, [id]);
  const { code, out, err } = await cli.call(['admin', 'doctor']);
  expect([code, err]).toEqual([1, expect.stringMatching(/^✗ [56] of 14 parts are not fine\.\n$/)]);
  expect(out).toContain(
    `✗ log          the log is stopped: ${client.ledger}\n    Do: read docs/operations/backup.md#when-a-log-is-stopped, within days.\n`,
  );
});

it('tells of a schema of another release, or of none, and what to do', async () => {
  const { url, drop } = await createMigratedDatabase();
  const other = (text: string, values: unknown[] = []) => runSql(url, text, values);
  await other(`insert into master_key (number, key_check) values (1, 'any')`);
  const [last] = await other('select name from kysely_migration order by name desc limit 1');
  const { name } = last as { name: string };
  await other('delete from kysely_migration where name = $1', [name]);
  const lacking = await cli.with({ DATABASE_URL: url }).call(['admin', 'doctor', '--json']);
  expect(lacking.json.found.slice(2)).toEqual([
    {
      part: 'schema',
      isFine: false,
      text: `The database lacks the migrations ${name}: it is of an earlier release.`,
      advice: "use that release's command, or upgrade: docs/operations/upgrade.md",
    },
  ]);
  expect([lacking.code, lacking.err]).toEqual([1, expect.stringContaining('1 of 3 parts is not fine.')]);
  const ledgers = await cli.with({ DATABASE_URL: url }).call(['admin', 'ledgers']);
  expect([ledgers.code, ledgers.err]).toEqual([
    4,
    expect.stringMatching(/^✗ The database lacks .*\n {2}Try: use that release's command, or upgrade/),
  ]);
  await other(`insert into kysely_migration (name, timestamp) values ($1, ''), ('9999-later', '')`, [name]);
  // Beside that one it may be used.
  expect(await illnesses({ DATABASE_URL: url })).not.toHaveProperty('schema');
  await other(`update deployment set value = '9999' where name = 'least-schema'`);
  expect(await illnesses({ DATABASE_URL: url })).toEqual({
    schema: 'The database has migrations of a later release: 9999-later.',
  });
  await drop();
  const empty = await createDatabase();
  expect(await illnesses({ DATABASE_URL: empty.url })).toEqual({ schema: 'The database is empty.' });
  await empty.drop();
});

it('goes on with what it can see without a key, or with another, and tells what is wrong of settings and the database', async () => {
  const without = await illnesses({ MASTER_KEY: '' });
  expect(without['master key']).toMatch(/^.*master\.key is missing/);
  const other = await illnesses({ MASTER_KEY: Buffer.alloc(32, 8).toString('base64') });
  expect(other['master key']).toBe(
    'The master key, MASTER_KEY or its file, is not the one that this database was made with.',
  );
  expect(await illnesses({ PORT: 'x', HOST: ' ' })).toEqual({
    settings: expect.stringMatching(/^PORT must be .*; HOST must be /),
  });
  expect(await illnesses({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })).toEqual({
    database: expect.stringContaining('does not answer (ECONNREFUSED)'),
  });
  for (const args of [['doctor'], ['ledgers']]) {
    const { code } = await cli.with({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }).call(['admin', ...args]);
    expect(code).toBe(3);
  }
  const wrong = await cli.call(['admin', 'doctor', '--sample', '0']);
  expect([wrong.code, wrong.err]).toEqual([2, "✗ --sample is a whole number from 1 to 1000000, not '0'.\n"]);
});
