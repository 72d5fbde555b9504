import { once } from 'node:events';
import { access, readdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { createDatabase } from './support/database.js';
import { freePort } from './support/free-port.js';
import { BUNDLED, expectLine, newDatabase, start, withStarts } from './support/starts.js';

const place = withStarts();

describe('a start', () => {
  it.each(['1', '2'])(
    'is refused in one line when the port is in use, before anything is made (%s workers)',
    async (count) => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as { port: number };
      const outcome = await start({ PORT: String(port), WORKERS: count });
      expectLine(
        outcome,
        `PORT ${port} on 127.0.0.1 is in use by another program: stop that one, or set PORT to another`,
      );
      await expect(access(place.dataDir)).rejects.toThrow('ENOENT');
      other.close();
    },
  );

  it('is refused in one line when the port of the metrics is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const outcome = await start({ PORT: String(await freePort()), METRICS_PORT: String(port) });
    expectLine(
      outcome,
      `METRICS_PORT ${port} on 127.0.0.1 is in use by another program: stop that one, or set METRICS_PORT to another`,
    );
    other.close();
  });

  it('is refused in one line when the host is not one of this machine', async () => {
    const outcome = await start({ PORT: String(await freePort()), HOST: '192.0.2.1' });
    expectLine(
      outcome,
      'HOST 192.0.2.1 is not an address of this machine: set it to one of its own, or to 0.0.0.0 for all',
    );
  });

  it('tells which database is wrong, and never its password', async () => {
    const url = new URL((await newDatabase()).url);
    const host = `${url.searchParams.get('host') ?? url.hostname}:${url.searchParams.get('port') ?? (url.port || '5432')}`;
    const port = await freePort();
    const changed = (change: (url: URL) => void) => {
      const other = new URL(url.href);
      change(other);
      return other.href;
    };
    const cases: [string, string][] = [
      [
        `postgresql://me:precious@127.0.0.1:${port}/ledger`,
        `The database at 127.0.0.1:${port} (DATABASE_URL) does not answer (ECONNREFUSED): is PostgreSQL running there, and does it listen on that address?`,
      ],
      [
        'postgresql://me:precious@nowhere.invalid/ledger',
        'The database at nowhere.invalid:5432 (DATABASE_URL) cannot be found: is the name of its host right?',
      ],
      [
        changed((other) => Object.assign(other, { pathname: '/not_there' })),
        `The database at ${host} (DATABASE_URL) has no database "not_there": make it with create database, in UTF8`,
      ],
    ];
    for (const [DATABASE_URL, line] of cases) {
      expectLine(await start({ DATABASE_URL, PORT: String(await freePort()) }), line);
    }
    const wrong = await start({
      DATABASE_URL: changed((other) => Object.assign(other, { password: 'precious' })),
      PORT: String(await freePort()),
    });
    expect(wrong).toMatchObject({ code: 1, out: '' });
    expect(wrong.err).toMatch(
      /^countersign: The database at .* does not let the user "\w+" in \(password .*\): look at .*\n$/,
    );
    expect(wrong.err).not.toContain('precious');
  });

  it('is refused with a database that is not in UTF-8', async () => {
    const name = `test_${process.pid}_ascii`;
    const server = new pg.Client({ connectionString: inject('databaseUrl') });
    await server.connect();
    await server.query(
      `create database ${name} template template0 encoding 'SQL_ASCII' locale_provider libc locale 'C'`,
    );
    const url = new URL(inject('databaseUrl'));
    url.pathname = `/${name}`;
    const outcome = await start({ DATABASE_URL: url.href, PORT: String(await freePort()) });
    await server.query(`drop database ${name}`);
    await server.end();
    expect(outcome).toMatchObject({ code: 1, out: '' });
    expect(outcome.err).toMatch(
      /^countersign: The database at .* keeps text as SQL_ASCII, and it must be UTF8: make one .*\n$/,
    );
    expect(await readdir(place.dataDir)).toEqual([]);
  });
});

describe('a check', () => {
  const check = (settings: Record<string, string>) => start(settings, [BUNDLED, '--check']);
  const ports = async () => ({ PORT: String(await freePort()), METRICS_PORT: String(await freePort()) });

  it('makes nothing, and finds nothing wrong with a folder that the first start makes', async () => {
    const { PORT, METRICS_PORT } = await ports();
    const outcome = await check({ PORT, METRICS_PORT });
    expect(outcome).toEqual({
      code: 0,
      err: '',
      out:
        `✓ port        127.0.0.1:${PORT} is free\n` +
        `✓ metrics     127.0.0.1:${METRICS_PORT} is free\n` +
        `✓ master key  not there: the first start with a new database makes ${join(place.dataDir, 'master.key')}\n` +
        `✓ data folder ${place.dataDir}\n` +
        `✓ database    our own: the first start makes ${join(place.dataDir, 'postgres')}\n`,
    });
    await expect(access(place.dataDir)).rejects.toThrow('ENOENT');
  });

  it('tells what a start with a database of one’s own would find, before and after it', async () => {
    const { url: DATABASE_URL } = await newDatabase(createDatabase);
    const lines = async (more: Record<string, string> = {}) => {
      const { code, out } = await check({ ...(await ports()), DATABASE_URL, ...more });
      return [code, out.split('\n').at(4)];
    };
    expect(await lines()).toEqual([0, '✓ database    answers, and is empty: the first start makes the schema']);
    const { code, err } = await start({ ...(await ports()), DATABASE_URL });
    expect(code).toBe(0);
    expect(err).toContain(`countersign: A NEW MASTER KEY WAS MADE, ${join(place.dataDir, 'master.key')}.`);
    expect(await lines()).toEqual([0, '✓ database    answers, with the schema of this release']);
    const MASTER_KEY = Buffer.alloc(32, 3).toString('base64');
    const wrong = 'The master key, MASTER_KEY or its file, is not the one that this database was made with.';
    expect(await lines({ MASTER_KEY })).toEqual([1, `✗ database    ${wrong}`]);
    expectLine(await start({ ...(await ports()), DATABASE_URL, MASTER_KEY }), wrong);
  });

  it.runIf(process.platform === 'linux').each(['/proc/countersign/data', '/sys/countersign', '/dev/null/data'])(
    'refuses what takes no folder, as a start does: %s',
    async (DATA_DIR) => {
      const settings = { ...(await ports()), DATA_DIR };
      expect((await check(settings)).out.split('\n').at(3)).toMatch(
        /^✗ data folder DATA_DIR \S+ cannot be used: E[A-Z]+: /,
      );
      const refused = /^countersign: DATA_DIR \S+ cannot be used: E[A-Z]+: .*\n$/;
      expect(await start(settings)).toMatchObject({ code: 1, err: expect.stringMatching(refused) });
    },
  );

  it('refuses a folder below a link that leads nowhere, and a file', async () => {
    await symlink(join(place.folder, 'gone'), join(place.folder, 'link'));
    await writeFile(join(place.folder, 'file'), '');
    for (const name of ['link', 'link/data', 'file', 'file/data']) {
      const settings = { ...(await ports()), DATA_DIR: join(place.folder, name) };
      expect((await check(settings)).out, name).toMatch(/✗ data folder DATA_DIR \S+ cannot be used: E[A-Z]+: /);
      expect((await start(settings)).err, name).toMatch(/^countersign: DATA_DIR \S+ cannot be used: E[A-Z]+: .*\n$/);
    }
  });

  it('names each part that is wrong', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const DATABASE_URL = `postgresql://me:precious@127.0.0.1:${await freePort()}/ledger`;
    const REPORT_ASSETS_DIR = join(place.folder, 'not-there');
    const { code, out } = await check({ ...(await ports()), PORT: String(port), DATABASE_URL, REPORT_ASSETS_DIR });
    other.close();
    expect(code).toBe(1);
    const parts = out.split('\n').map((line) => line.slice(0, 13).trim());
    expect(parts).toEqual(['✗ port', '✓ metrics', '✓ master key', '✓ data folder', '✗ assets', '✗ database', '']);
    expect(out).toMatch(/^✗ assets {6}REPORT_ASSETS_DIR \S+ cannot be read: ENOENT: /m);
    expect(out).not.toContain('precious');
  });
});
