import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { access, mkdtemp, open, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { settings } from '../src/config.js';
import { tooOld } from '../src/node-version.js';
import { explainError, unusable } from '../src/store/queries/reach.js';
import { layCable } from './store/cable.js';
import { createDatabase, createMigratedDatabase, type TestDatabase } from './support/database.js';
import { freePort } from './support/free-port.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** The program as it is published, and in a few files, which load in a third of the time. */
const MAIN = join(root, 'packages/server/dist/main.js');
const BUNDLED = join(root, 'packages/server/test/.bundle/main.js');

let folder: string;
let children: ChildProcess[];
let databases: TestDatabase[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-start-'));
  children = [];
  databases = [];
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const database of databases) await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function newDatabase(make = createMigratedDatabase): Promise<TestDatabase> {
  const database = await make();
  databases.push(database);
  return database;
}

const dataDir = () => join(folder, 'data');

/** What a start printed, and how it ended; one that serves is stopped as soon as it says so. */
async function start(
  settings: Record<string, string>,
  args = [BUNDLED],
  err: 'pipe' | number = 'pipe',
  heard: (err: string) => void = () => {},
) {
  const { DATABASE_URL: _, MASTER_KEY: __, PUBLIC_URL: ___, ...inherited } = process.env;
  const env = { ...inherited, DATA_DIR: dataDir(), WORKERS: '1', DATABASE_WAIT: '0', ...settings };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', err] });
  children.push(child);
  const said = { out: '', err: '' };
  child.stdout!.on('data', (text: Buffer) => {
    said.out += text;
    if (said.out.includes('listening on')) child.kill('SIGTERM');
  });
  child.stderr?.on('data', (text: Buffer) => {
    said.err += text;
    heard(said.err);
  });
  const [code] = await once(child, 'close');
  return { code: code as number | null, ...said };
}

/** The start was refused with this one line and nothing else. */
function expectLine(outcome: Awaited<ReturnType<typeof start>>, line: string): void {
  expect(outcome).toEqual({ code: 1, out: '', err: `countersign: ${line}\n` });
}

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
      await expect(access(dataDir())).rejects.toThrow('ENOENT');
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
    expect(await readdir(dataDir())).toEqual([]);
  });

  it('names its real address, and how to look at it', async () => {
    const [port, metrics, operators] = [await freePort(), await freePort(), await freePort()];
    const { out, err, code } = await start({
      DATABASE_URL: (await newDatabase(createDatabase)).url,
      ...{ PORT: String(port), METRICS_PORT: String(metrics), ADMIN_PORT: String(operators) },
      OPERATOR_KEYS: `alice=${Buffer.alloc(32, 7).toString('base64')}`,
      PUBLIC_URL: 'https://ledger.example/v2',
    });
    expect(code).toBe(0);
    const at = (port: number) => `on http://127.0.0.1:${port}`;
    const addresses = [`listening ${at(port)}/v2`, `metrics ${at(metrics)}/metrics`, `operators ${at(operators)}`];
    expect(out).toContain([...addresses, 'console on https://ledger.example/console/\n'].join('\n'));
    expect(out).toContain(`   npx countersign init acme --server http://127.0.0.1:${port}/v2\n`);
    expect(out).toContain(`   npm run tour -- http://127.0.0.1:${port}/v2\n`);
    expect(out).toContain(`the master key, ${join(dataDir(), 'master.key')}: without it`);
    // The disk of that database is not known.
    expect(err.match(/LEDGER_QUOTA is off: nothing bounds what a ledger stores/g)).toHaveLength(1);
    for (const path of ['', 'v2/openapi.json']) expect(out).toContain(`   https://ledger.example/${path}\n`);
  });

  it.skipIf(process.platform !== 'linux')('goes on where its log cannot be written, and ends', async () => {
    const { url } = await newDatabase();
    const full = await open('/dev/full', 'w');
    const settings = { DATABASE_URL: url, PORT: String(await freePort()), LOG_LEVEL: 'trace' };
    expect(await start(settings, [BUNDLED], full.fd)).toMatchObject({
      code: 0,
      out: expect.stringContaining('listening on'),
    });
    await full.close();
  });

  it('never makes a master key for a database that has one', async () => {
    const { url: DATABASE_URL } = await newDatabase();
    const again = async () => start({ DATABASE_URL, PORT: String(await freePort()) });
    expect((await again()).code).toBe(0);
    const file = join(dataDir(), 'master.key');
    const key = readFileSync(file, 'utf8');
    await rm(file);
    for (let time = 0; time < 2; time += 1) {
      const why = `${file} is missing, and the database was made with one: put a copy of that file back, or set MASTER_KEY to what is in it`;
      expectLine(await again(), why);
      await expect(access(file)).rejects.toThrow('ENOENT');
    }
    await writeFile(file, key, { mode: 0o600 });
    expect((await again()).code).toBe(0);
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
        `✓ master key  not there: the first start with a new database makes ${join(dataDir(), 'master.key')}\n` +
        `✓ data folder ${dataDir()}\n` +
        `✓ database    our own: the first start makes ${join(dataDir(), 'postgres')}\n`,
    });
    await expect(access(dataDir())).rejects.toThrow('ENOENT');
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
    expect(err).toContain(`countersign: A NEW MASTER KEY WAS MADE, ${join(dataDir(), 'master.key')}.`);
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
    await symlink(join(folder, 'gone'), join(folder, 'link'));
    await writeFile(join(folder, 'file'), '');
    for (const name of ['link', 'link/data', 'file', 'file/data']) {
      const settings = { ...(await ports()), DATA_DIR: join(folder, name) };
      expect((await check(settings)).out, name).toMatch(/✗ data folder DATA_DIR \S+ cannot be used: E[A-Z]+: /);
      expect((await start(settings)).err, name).toMatch(/^countersign: DATA_DIR \S+ cannot be used: E[A-Z]+: .*\n$/);
    }
  });

  it('names each part that is wrong', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const DATABASE_URL = `postgresql://me:precious@127.0.0.1:${await freePort()}/ledger`;
    const REPORT_ASSETS_DIR = join(folder, 'not-there');
    const { code, out } = await check({ ...(await ports()), PORT: String(port), DATABASE_URL, REPORT_ASSETS_DIR });
    other.close();
    expect(code).toBe(1);
    const parts = out.split('\n').map((line) => line.slice(0, 13).trim());
    expect(parts).toEqual(['✗ port', '✓ metrics', '✓ master key', '✓ data folder', '✗ assets', '✗ database', '']);
    expect(out).toMatch(/^✗ assets {6}REPORT_ASSETS_DIR \S+ cannot be read: ENOENT: /m);
    expect(out).not.toContain('precious');
  });
});

describe('the command line', () => {
  it('prints help with every setting, the build, and one line for anything else', async () => {
    const help = await start({}, [BUNDLED, '--help']);
    expect(help).toMatchObject({ code: 0, err: '' });
    for (const { name } of Object.values(settings)) expect(help.out).toContain(`\n  ${name}`);
    expect(help.out.split('\n').filter((line) => line.length > 80 && line.trim().includes(' '))).toEqual([]);
    expect(await start({}, [BUNDLED, '--version'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    for (const [args, why] of [
      [['--port=1'], 'there is no option --port=1: countersign-server --help lists them'],
      [['constructor'], 'there is no option constructor: countersign-server --help lists them'],
      [['--check', 'now'], '--check stands alone: now has no meaning beside it'],
    ] as const)
      expect(await start({}, [BUNDLED, ...args])).toEqual({ code: 2, out: '', err: `countersign: ${why}\n` });
  });

  it('warns of variables that look like settings', async () => {
    const settings = {
      WORKER: '3',
      DATABASEURL: 'postgresql://there/',
      PORT: String(await freePort()),
      METRICS_PORT: 'off',
    };
    const { err } = await start(settings, [BUNDLED, '--check']);
    expect(err).toBe(
      'countersign: WORKER is not a setting, and is ignored: WORKERS may be meant\n' +
        'countersign: DATABASEURL is not a setting, and is ignored: DATABASE_URL may be meant\n',
    );
  });
});

it('a start waits for a database that is out of reach', async () => {
  const { url } = await newDatabase();
  const cable = await layCable(url);
  await cable.cut();
  const settings = { DATABASE_URL: cable.url, DATABASE_WAIT: '60', PORT: String(await freePort()) };
  const started = start(settings, [BUNDLED], 'pipe', (err) => {
    if (err.includes('the start waits for it')) void cable.mend();
  });
  expect(await started).toMatchObject({ code: 0, out: expect.stringContaining('listening on') });
  await cable.close();
});

describe('what cannot be used', () => {
  it('is a PostgreSQL below 15, or one that does not keep text as UTF-8', () => {
    expect(unusable({ version: '14.9', release: 140_009, encoding: 'UTF8' })).toBe(
      'is PostgreSQL 14.9, and 15 is the oldest that can be used: upgrade it, or use another',
    );
    expect(unusable({ version: '15.0', release: 150_000, encoding: 'UTF8' })).toBeUndefined();
    expect(unusable({ version: '18.1', release: 180_001, encoding: 'LATIN1' })).toContain('keeps text as LATIN1');
  });

  it('is told only of the database', () => {
    const other = new Error('The master key, MASTER_KEY or its file, is not the one that this database was made with.');
    expect(explainError(other, 'postgresql://localhost/a', false)).toBe(other);
    const file = Object.assign(new Error('EACCES'), { code: 'EACCES', path: '/data/master.key' });
    expect(explainError(file, 'postgresql://localhost/a', false)).toBe(file);
  });

  it('is an old Node.js, as package.json and the scripts say too', async () => {
    expect(tooOld('20.18.3')).toMatch(/^countersign: needs Node\.js 20\.19 or later, and this is 20\.18\.3: see \S+$/);
    for (const version of ['12.22.9', '18.20.4', '19.0.0']) expect(tooOld(version)).toBeDefined();
    for (const version of ['20.19.0', '22.0.0', '24.21.0', '26.10.0', process.versions.node])
      expect(tooOld(version)).toBeUndefined();
    const names = ['cli', 'client', 'embedded-postgres', 'protocol', 'safe-json-schema', 'server', 'verifier'];
    const packages = names.map((name) => `packages/${name}`);
    for (const path of ['.', ...packages]) {
      expect(JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')).engines.node).toBe('>=20.19');
    }
    const pretend = join(folder, 'pretend.cjs');
    await writeFile(pretend, "Object.defineProperty(process.versions, 'node', { value: '18.20.4' });");
    const outcome = await start({}, ['-r', pretend, MAIN]);
    expect(outcome).toEqual({ code: 1, out: '', err: `${tooOld('18.20.4')}\n` });
    const script = await start({}, ['-r', pretend, '-r', join(root, 'scripts/node-version.cjs'), MAIN]);
    expect(script).toEqual(outcome);
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const [name, command] of Object.entries<string>(scripts)) {
      if (command.includes('node ')) expect(command, name).toContain('node -r ./scripts/node-version.cjs scripts/');
    }
  });

  it('is no Node.js that misreads JSON: every process replaces the function before it loads a dependency', async () => {
    const [misreading, spy] = ['misreading', 'loaded-before'].map((name) =>
      join(root, `packages/server/test/support/${name}.cjs`),
    );
    const LOADED_BEFORE = join(folder, 'loaded-before');
    const { url } = await newDatabase();
    const settings = {
      LOADED_BEFORE,
      DATABASE_URL: url,
      MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
      PORT: String(await freePort()),
      WORKERS: '2',
      LOG_LEVEL: 'error',
    };
    const outcome = await start(settings, ['-r', misreading!, '-r', spy!, MAIN]);
    expect(outcome).toMatchObject({ code: 0, err: '' });
    const lines = readFileSync(LOADED_BEFORE, 'utf8').trim().split('\n');
    const all = lines.map((line): { program: string; loaded: string[] } => JSON.parse(line));
    expect(all.flatMap(({ loaded }) => loaded)).toEqual([]);
    expect(all.map(({ program }) => program).sort()).toEqual([...Array(3).fill('main.js'), 'thread', 'thread']);
  });
});
