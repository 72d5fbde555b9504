import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findMigrations, migrate } from '../../src/store/migrate.js';
import { createPool } from '../../src/store/pool.js';
import { type Migration, readMigrations } from '../../src/store/sql.js';
import { newLedger } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { ok } from '../support/scene.js';
import { startServer } from '../support/server.js';
import { runSql } from '../support/sql.js';

const known = readMigrations();
const newest = known.at(-1)!.number;

/** A migration of a later release. @param least the number of the one that a server must know beside it */
function later(number: string, text: string, least = number): Migration {
  return { name: `${number}-later`, number, least, text };
}

const beside = (number: string, text: string) => later(number, text, newest);

let database: TestDatabase;
let pool: ReturnType<typeof createPool>;
beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createPool({ connectionString: database.url, max: 3 }, () => {});
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

const sql = (text: string, values: unknown[] = []) => runSql(database.url, text, values);

/** Tells of a process that knows a schema, as if it had told so in so many seconds. */
const serving = (schema: string, seconds: number) =>
  sql(
    `insert into process (name, host, build, keys, sealing, schema, seen)
     values ('p', 'h', '0.2.0', '{}', 1, $1, clock_timestamp() + make_interval(secs => $2))`,
    [schema, seconds],
  );

describe('a database that a later release has migrated', () => {
  it('is served by an earlier one whose schema is within the range, and by no other', async () => {
    const more = beside('9001', 'create table more (a int)');
    expect(await migrate(pool, [...known, more])).toEqual(['9001-later']);
    expect(await migrate(pool, known)).toEqual([]);
    expect(await findMigrations(pool, known)).toEqual({ pending: [], later: ['9001-later'], isOutdated: false });
    const less = later('9002', 'drop table more');
    expect(await migrate(pool, [...known, more, less])).toEqual(['9002-later']);
    await expect(migrate(pool, known)).rejects.toThrow(
      'The database was migrated by a later release (9001-later, 9002-later): use that, or a later one.',
    );
    // The range begins where the last migration says, whatever comes after.
    const further = later('9003', 'create table further (a int)', '9002');
    expect(await migrate(pool, [...known, more, less, further])).toEqual(['9003-later']);
    expect(await migrate(pool, [...known, more, less])).toEqual([]);
    await expect(migrate(pool, [...known, more])).rejects.toThrow('later release');
  });

  it('is refused by a release that has other migrations', async () => {
    await migrate(pool, [...known, beside('9001', 'create table more (a int)')]);
    const other = { ...beside('9002', 'create table other (a int)'), name: '9002-other' };
    await expect(migrate(pool, [...known, other])).rejects.toThrow('later release (9001-later)');
  });

  it('gets no writes of a process that it has left behind, which says so, is not ready, and hands over its work', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    const server = await startServer({ database, logger });
    try {
      const client = await newLedger(server.url);
      await sql(`update deployment set value = '9999' where name = 'least-schema'`);
      const ready = async () => (await fetch(server.url.replace('/v2', '/health/ready'))).status;
      await eventually(async () => expect(await ready()).toBe(503));
      const refused = await client.create('/wallets', { handle: 'w' });
      expect([refused.status, refused.body.data.reason]).toEqual([503, 'api.unexpected-error']);
      // As while an operator drains it.
      expect(ok(await client.get('/ledger')).headers.get('connection')).toBe('close');
      expect(lines.filter((line) => line.includes('the database was migrated beyond this release'))).toHaveLength(1);
    } finally {
      await server.stop();
    }
  });
});

describe('a migration', () => {
  it('waits for no server that may go on beside it, and is refused while one serves that may not', async () => {
    await serving(newest, 60);
    await migrate(pool, [...known, beside('9001', 'create table more (a int)')]);
    const strict = [...known, beside('9001', ''), later('9002', 'drop table more')];
    await expect(migrate(pool, strict)).rejects.toThrow(
      'The database is not migrated to 9002-later, beside which servers of an earlier release may not serve: stop them first (h (process p, 0.2.0)).',
    );
    await sql('select from more');
    // What it wrote of itself goes to the terminal of the owner.
    await sql(`update process set host = E'h\\n\\x1b[2J' || repeat('x', 1000)`);
    await expect(migrate(pool, strict)).rejects.toThrow(/stop them first \(h\\u\{a\}\\u\{1b\}\[2Jx+\)\.$/);
    await sql('delete from process');
    await serving(newest, 100_000_000);
    await sql(`update process set name = 'of another clock'`);
    // Long gone.
    await serving(newest, -60);
    expect(await migrate(pool, strict)).toEqual(['9002-later']);
  });

  it('is refused while a server serves that has started since those before it began', async () => {
    const start = `insert into process (name, host, build, keys, sealing, schema, seen)
      values ('p', 'h', '0.2.0', '{}', 1, '${newest}', clock_timestamp() + interval '1 minute')`;
    const strict = [...known, beside('9001', start), later('9002', 'drop table process')];
    await expect(migrate(pool, strict)).rejects.toThrow('stop them first (h (process p, 0.2.0))');
    expect((await findMigrations(pool, known)).later).toEqual(['9001-later']);
  });

  it('leaves nothing behind where it fails, and what came before it stays', async () => {
    const both = [
      beside('9001', 'create table more (a int)'),
      beside('9002', 'create table other (a int); select 1 / 0'),
    ];
    await expect(migrate(pool, [...known, ...both])).rejects.toThrow('division by zero');
    expect((await findMigrations(pool, known)).later).toEqual(['9001-later']);
    const rows = await sql(`select to_regclass('more') is null as more, to_regclass('other') is null as other`);
    expect(rows).toEqual([{ more: false, other: true }]);
  });

  it('makes an index while rows are written, and again what an interrupted attempt has left', async () => {
    await sql('create table many (a int); insert into many values (1), (1)');
    const text = '-- While rows are written.\ncreate unique index concurrently many_a on many (a);';
    await expect(migrate(pool, [...known, beside('9001', text)])).rejects.toThrow('could not create unique index');
    const valid = `select indisvalid as is from pg_index where indexrelid = to_regclass('many_a')`;
    expect(await sql(valid)).toEqual([{ is: false }]);
    await sql('delete from many');
    expect(await migrate(pool, [...known, beside('9001', text)])).toEqual(['9001-later']);
    expect(await sql(valid)).toEqual([{ is: true }]);
  });

  it('that waits for a lock gives way to those who write, and tries again', async () => {
    const holder = await pool.connect();
    await holder.query('begin; lock table process in access share mode');
    const migrated = migrate(pool, [...known, beside('9001', 'alter table process add column more int')]);
    migrated.catch(() => {});
    const waiting = `select from pg_locks where not granted and relation = 'process'::regclass`;
    await eventually(async () => expect(await sql(waiting)).toHaveLength(1));
    // It would wait behind the migration for as long as the holder reads.
    await serving(newest, 0);
    await holder.query('commit');
    holder.release();
    expect(await migrated).toEqual(['9001-later']);
  });
});

describe('the migrations', () => {
  it('are numbered one by one, and lock one table each where servers go on beside them', () => {
    expect(known.map(({ number }) => Number(number))).toEqual(known.map((_, index) => index + 1));
    for (const { name, number, least, text } of known) {
      expect(least <= number, name).toBe(true);
      if (least === number) continue;
      const locked = [
        ...text.matchAll(/^\s*(?:alter|drop|lock) table (?:if exists )?(\w+)| on (\w+) (?:for|using|\()/gim),
      ];
      expect(new Set(locked.map(([, table, other]) => table ?? other)).size, name).toBeLessThanOrEqual(1);
      if (/concurrently/.test(text)) expect(text.trim().match(/;$/gm), name).toHaveLength(1);
    }
  });
});
