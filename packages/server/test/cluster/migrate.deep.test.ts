import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { root } from '../support/documents.js';
import { freePort } from '../support/free-port.js';
import { runBeside } from '../support/program.js';
import { runSql } from '../support/sql.js';

const MASTER_KEY = Buffer.alloc(32, 3).toString('base64');

describe('countersign-server --migrate', () => {
  let folder: string;
  let database: TestDatabase;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-migrate-'));
    database = await createDatabase();
  });
  afterEach(async () => {
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const call = (option: string, settings: Record<string, string>) =>
    runBeside(process.execPath, [join(root, 'packages/server/test/.bundle/main.js'), option], {
      ...{ DATABASE_URL: '', MASTER_KEY: '', DATA_DIR: join(folder, 'data'), DATABASE_WAIT: '0' },
      ...settings,
    });
  const migrate = (settings: Record<string, string>) => call('--migrate', settings);
  const refused = (why: string) => ({ status: 1, out: '', err: `countersign: ${why}\n` });

  it('brings a database to the schema of this release, once, and ends', async () => {
    const settings = { DATABASE_URL: database.url, MASTER_KEY };
    const first = await migrate(settings);
    expect(first).toMatchObject({ status: 0, err: '' });
    const done = /^the database was migrated to the schema of \S+: \d+ migrations, from 0\S+ to 0\S+\n$/;
    expect(first.out).toMatch(done);
    const again = await migrate(settings);
    expect(again).toMatchObject({ status: 0, err: '' });
    expect(again.out).toMatch(/^the database has the schema of \S+ already\n$/);
    const { out } = await call('--check', { ...settings, PORT: String(await freePort()) });
    expect(out).toContain('✓ database    answers, with the schema of this release');
  });

  it('needs no master key and makes none; with one, it ties the database to it, as a start does', async () => {
    const tied = () => runSql(database.url, 'select number from master_key');
    expect(await migrate({ DATABASE_URL: database.url })).toMatchObject({ status: 0, err: '' });
    expect(existsSync(join(folder, 'data'))).toBe(false);
    expect(await tied()).toEqual([]);
    expect((await migrate({ DATABASE_URL: database.url, MASTER_KEY })).status).toBe(0);
    expect(await tied()).toEqual([{ number: 1 }]);
    const wrong = 'The master key, MASTER_KEY or its file, is not the one that this database was made with.';
    const other = Buffer.alloc(32, 4).toString('base64');
    expect(await migrate({ DATABASE_URL: database.url, MASTER_KEY: other })).toEqual(refused(wrong));
    // The owner who migrates to the next release need not have it.
    expect(await migrate({ DATABASE_URL: database.url })).toMatchObject({ status: 0, err: '' });
  });

  it('is refused in one line without a database of one’s own, and with one that does not answer', async () => {
    const needs = '--migrate needs DATABASE_URL: our own PostgreSQL is migrated when the server starts';
    expect(await migrate({})).toEqual({ ...refused(needs), status: 2 });
    const port = await freePort();
    const away = `The database at 127.0.0.1:${port} (DATABASE_URL) does not answer (ECONNREFUSED): is PostgreSQL running there, and does it listen on that address?`;
    const url = `postgresql://me:precious@127.0.0.1:${port}/ledger`;
    expect(await migrate({ MASTER_KEY, DATABASE_URL: url })).toEqual(refused(away));
  });
});
