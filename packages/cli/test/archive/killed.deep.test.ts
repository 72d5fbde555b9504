import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { everyKind } from '../../../server/test/archive/every-kind.js';
import { exported, ranked, verified, withPool } from '../../../server/test/archive/support.js';
import { type MoneyScene, transfer } from '../../../server/test/money/scene.js';
import { TestClient } from '../../../server/test/support/client.js';
import { eventually } from '../../../server/test/support/eventually.js';
import { ok, stored } from '../../../server/test/support/scene.js';
import { type RunningServer, startServer, TEST_MASTER_KEY } from '../../../server/test/support/server.js';
import { runSql } from '../../../server/test/support/sql.js';
import { Cli, withFolder } from '../support/cli.js';

const folder = withFolder();
const PASSPHRASE = { COUNTERSIGN_PASSWORD: 'correct horse' };

/** How often the import is killed, and what it takes that each time a piece more is stored, and one is left. */
const KILLS = process.env.LONG_TESTS ? 8 : 2;
const SYMBOLS = 14 * KILLS + 2;

let from: RunningServer;
let into: RunningServer;
let scene: MoneyScene;
let luid: string;
let path: string;
/** The handle of an intent that was erased. */
let forgotten: string;

beforeAll(async () => {
  from = await startServer();
  into = await startServer();
  await runSql(into.database.url, HELD);
  scene = await everyKind(from.url);
  luid = (await scene.client.get('/ledger')).body.luid;
  await erase();
  // Enough that an import stores it in several pieces.
  const text = 'x'.repeat(300_000);
  for (let at = 0; at < SYMBOLS; at += 1)
    await stored(scene.client, 'symbol', { handle: `s-${at}`, factor: 1, custom: { text } });
  path = join(folder.path, 'file');
  await writeFile(path, await exported(from, scene.client.ledger!, { passphrase: PASSPHRASE.COUNTERSIGN_PASSWORD }));
});
afterAll(async () => {
  await from.stop();
  await into.stop();
});

const operator = ({ database }: RunningServer) =>
  new Cli(folder.path, { DATABASE_URL: database.url, MASTER_KEY: TEST_MASTER_KEY.toString('base64') });

/** Erases a completed intent, and a symbol that was dropped. */
async function erase(): Promise<void> {
  forgotten = await scene.done([transfer('alice', 'bob', 1)]);
  const paid = await scene.read(forgotten);
  const symbol = await stored(scene.client, 'symbol', { handle: 'left', factor: 1 });
  ok(await scene.client.drop('/symbols/left', symbol));
  for (const [kind, luid] of [
    ['intent', paid.luid],
    ['symbol', symbol.luid],
  ]) {
    const words = ['erase', scene.client.ledger!, kind, luid, '--reason', 'asked', '--yes'];
    await eventually(() => operator(from).done(words));
  }
}

/** The import that was begun; undefined where none was. */
async function begunImport(): Promise<{ id: number; stored: { lines: number } } | undefined> {
  return withPool(into, async (pool) => {
    const { rows } = await pool.query<{ value: string }>(`select value from deployment where name like 'import:%'`);
    return rows[0] && JSON.parse(rows[0].value);
  });
}

/** The number of the lock that an import waits for. */
const LOCK = 77;

/** Has an import that has stored more than so many lines wait for the lock before it commits what comes next. */
const HELD = `
  create table held (beyond int);
  create function hold() returns trigger language plpgsql as $$
  begin
    if (old.value::jsonb #>> '{stored,lines}')::int > (select max(beyond) from held)
      and not old.value::jsonb ? 'isDiscarded'
      and (tg_op = 'DELETE' or not new.value::jsonb ? 'isDiscarded')
    then
      perform pg_advisory_xact_lock_shared(${LOCK});
    end if;
    return case when tg_op = 'DELETE' then old else new end;
  end $$;
  create trigger hold before update or delete on deployment
    for each row when (old.name like 'import:%') execute function hold();`;

/**
 * Starts an import and kills it where it is about to commit, once it has stored more than `least` lines.
 *
 * @returns where it has come
 */
async function killedBeyond(least: number): Promise<number> {
  return withPool(into, async (pool) => {
    const holder = await pool.connect();
    await holder.query('select pg_advisory_lock($1)', [LOCK]);
    await holder.query('insert into held values ($1)', [least]);
    const child = operator(into).start(['import', path], PASSPHRASE);
    const closed = once(child, 'close');
    await eventually(async () => {
      const { rows } = await holder.query(
        `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted
           and database = (select oid from pg_database where datname = current_database())`,
        [LOCK],
      );
      expect(rows).toHaveLength(1);
    });
    const { lines } = (await begunImport())!.stored;
    expect(lines).toBeGreaterThan(least);
    child.kill('SIGKILL');
    const [code, signal] = await closed;
    expect([code, signal]).toEqual([null, 'SIGKILL']);
    await holder.query('delete from held');
    await holder.query('select pg_advisory_unlock($1)', [LOCK]);
    // Its connections are gone.
    await eventually(async () => {
      const { rows } = await holder.query(
        `select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
          and (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 1)`,
        [luid],
      );
      expect(rows).toHaveLength(0);
    });
    holder.release();
    return lines;
  });
}

const changes = () =>
  withPool(into, async (pool) => Number((await pool.query('select count(*) from change')).rows[0].count));

const comparable = (text: string) =>
  ranked(text.split('\n').filter((line) => !/^\{"line":"(header|end|secret|delivery)"/.test(line)));

it('deletes what an import has stored that was given up, and nothing else (export#import)', async () => {
  const refused = await operator(into).call(['import', path, '--discard']);
  expect([refused.code, refused.err]).toEqual([
    4,
    expect.stringContaining(`No import of ${luid} was begun and interrupted, nor of any other ledger.`),
  ]);
  const other = await everyKind(into.url);
  const [before, rest] = [await exported(into, other.client.ledger!), await changes()];
  await killedBeyond(0);
  expect(await changes()).toBeGreaterThan(rest);
  const elsewhere = await operator(into).call(['import', '$ldg.AAAAAAAAAAAAAAAAA', '--discard']);
  expect(elsewhere.err).toContain(`but those of ${luid} were.`);
  const { json } = await operator(into).done(['import', luid, '--discard', '--json']);
  expect(json.ledger).toBe(luid);
  expect(json.rows).toBeGreaterThan(0);
  expect([await changes(), await begunImport()]).toEqual([rest, undefined]);
  for (const table of ['record', 'used_proof', 'erased_proof', 'erased_leaf', 'taken_key', 'balance', 'entry'])
    await withPool(into, async (pool) => {
      const { rows } = await pool.query(`select from ${table} where ledger_id not in (select id from ledger)`);
      expect([table, rows.length]).toEqual([table, 0]);
    });
  expect(comparable(await exported(into, other.client.ledger!))).toEqual(comparable(before));
  // The history is as append-only as before.
  await withPool(into, async (pool) => {
    for (const table of ['change', 'entry'])
      await expect(pool.query(`delete from ${table}`)).rejects.toThrow('append-only');
  });
});

it('begins anew where a part of what was stored is deleted already', async () => {
  await killedBeyond(0);
  const { id } = (await begunImport())!;
  // As when deleting was killed.
  await withPool(into, async (pool) => {
    await pool.query(
      `update deployment set value = (value::jsonb || '{"isDiscarded":true}')::text where name like 'import:%'`,
    );
    await pool.query('delete from used_proof where ledger_id = $1', [id]);
  });
  await killedBeyond(0);
  expect((await begunImport())!.id).not.toBe(id);
  const left = await withPool(into, (pool) => pool.query('select from change where ledger_id = $1', [id]));
  expect(left.rowCount).toBe(0);
  await operator(into).done(['import', path, '--discard']);
});

it('ends equal after it was killed at several points (export#import)', async () => {
  const kills = [await killedBeyond(-1)];
  const { id } = (await begunImport())!;
  const there = new TestClient(into.url, scene.client.key, scene.client.ledger);
  for (let at = 1; at < KILLS; at += 1) {
    kills.push(await killedBeyond(kills.at(-1)!));
    expect((await there.get('/ledger')).status).toBe(404);
  }
  expect([new Set(kills).size, (await begunImport())!.id]).toEqual([KILLS, id]);
  const { err } = await operator(into).done(['import', path], { env: PASSPHRASE });
  expect(err).toMatch(/\d+ of them were erased before\. .* 4 names of their records stay taken\./);
  const again = await exported(into, scene.client.ledger!, { passphrase: PASSPHRASE.COUNTERSIGN_PASSWORD });
  expect(verified(again).told).toEqual([]);
  expect(comparable(again)).toEqual(comparable(await readFile(path, 'utf8')));
  expect((await there.get('/wallets/alice')).text).toBe((await scene.client.get('/wallets/alice')).text);
  const sentAnew = await there.create('/intents', { handle: forgotten, claims: [transfer('alice', 'bob', 1)] });
  expect(sentAnew.status).toBe(409);
});
