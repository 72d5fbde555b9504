import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { findBinaries } from '../src/binaries.js';
import { stopLeftBehind } from '../src/left-behind.js';
import { findProcessesIn, startOfProcess } from '../src/process.js';
import { type Postgres, startPostgres } from '../src/start.js';

/** What every PostgreSQL here is started with. */
const common = {
  name: 'embedded',
  restarts: { times: 2, within: 10 * 60_000, respite: 500 },
  leastFree: 0,
  dataDirSetting: 'DATA_DIR',
};

/** Waits until `check` no longer throws, on however busy a machine. */
const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 60_000, interval: 20 });

let dataDir: string;
let started: Postgres[];

/** A data directory after a first start, for tests that are not about that one: initdb is most of what they would do. */
let made: string;

beforeAll(async () => {
  made = await realpath(await mkdtemp(join(tmpdir(), 'embedded-postgres-')));
  await (await startPostgres({ ...common, dataDir: made, log: () => {} })).stop();
});

afterAll(() => rm(made, { recursive: true }));

/** Has the next start be a second one. */
function makeDataDir(): void {
  // Files keep their owner.
  if (process.platform !== 'win32') execFileSync('cp', ['-a', join(made, 'postgres'), dataDir]);
}

beforeEach(async () => {
  dataDir = await realpath(await mkdtemp(join(tmpdir(), 'embedded-postgres-')));
  started = [];
});

afterEach(async () => {
  for (const database of started) await database.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(
  log: (line: string) => void = () => {},
  alarm: (text: string) => void = () => {},
): Promise<Postgres> {
  const database = await startPostgres({ ...common, dataDir, log, alarm });
  started.push(database);
  return database;
}

/** Opens so many connections side by side, and closes them. */
async function connect(url: string, count: number): Promise<void> {
  const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: url }));
  for (const client of clients) client.on('error', () => {});
  const results = await Promise.allSettled(clients.map((client) => client.connect()));
  await Promise.all(clients.map((client) => client.end()));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

async function query(url: string, statement: string): Promise<unknown[][]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query({ text: statement, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}

const postmaster = async () =>
  Number((await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8')).split('\n')[0]);
const locks = async () => (await readdir(dataDir)).filter((name) => name.startsWith('server.lock.'));
const socketFolder = (url: string) => new URL(url).searchParams.get('host') ?? '';

describe('an embedded PostgreSQL', () => {
  it('keeps what clients store out of its log', async () => {
    makeDataDir();
    const log: string[] = [];
    const { url } = await start((line) => log.push(line));
    await query(url, 'create table name (name text unique)');
    await query(url, "insert into name values ('precious')");
    await expect(query(url, "insert into name values ('precious')")).rejects.toThrow('duplicate key');
    expect(log.join('\n')).toContain('duplicate key');
    expect(log.join('\n')).not.toContain('precious');
  });

  it('is named in lower-case letters and digits', async () => {
    for (const name of ['', 'a b', 'a-b', '1a', 'Name', 'a'.repeat(21)]) {
      const refused = startPostgres({ ...common, dataDir, log: () => {}, name });
      await expect(refused).rejects.toThrow(`${JSON.stringify(name)} cannot name a database`);
    }
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('is durable, checks its pages, and keeps what was written', async () => {
    const first = await start();
    const settings = await query(
      first.url,
      `select name, setting from pg_settings where name in
       ('fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'server_encoding', 'jit') order by name`,
    );
    expect(Object.fromEntries(settings)).toEqual({
      data_checksums: 'on',
      fsync: 'on',
      full_page_writes: 'on',
      jit: 'off',
      server_encoding: 'UTF8',
      synchronous_commit: 'on',
    });
    expect(await query(first.url, `select 'B' < 'a', lower('É')`)).toEqual([[true, 'é']]);
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    await expect(stat(socketFolder(first.url))).rejects.toThrow('ENOENT');

    const second = await start();
    expect(await query(second.url, 'select answer from kept')).toEqual([[42]]);
    expect(await Promise.race([second.exited, 'alive'])).toBe('alive');
    expect((await locks()).length).toBeLessThanOrEqual(2);
  });

  it.skipIf(process.platform === 'win32')('is out of reach for others', async () => {
    makeDataDir();
    const { url } = await start();
    expect(await query(url, 'show listen_addresses')).toEqual([['']]);
    for (const path of [socketFolder(url), join(dataDir, 'postgres'), join(dataDir, 'postgres/password')]) {
      expect((await stat(path)).mode & 0o077).toBe(0);
    }
    await expect(query(url.replace(/:[0-9a-f]+@/, ':wrong@'), 'select 1')).rejects.toThrow('password');
  });

  it('lets one server use a data directory, also when two start at the same instant', async () => {
    const [one, other] = await Promise.allSettled([start(), start()]);
    expect([one.status, other.status].sort()).toEqual(['fulfilled', 'rejected']);
    const refused = one.status === 'rejected' ? one : (other as PromiseRejectedResult);
    expect(refused.reason.message).toBe(`DATA_DIR ${dataDir} is in use by process ${process.pid}`);
    await expect(start()).rejects.toThrow('is in use by process');
  });

  it('takes over from a process that is no more, even when its id is used again', async () => {
    makeDataDir();
    await writeFile(join(dataDir, 'server.lock.1'), `{"pid":${process.pid},"started":"another boot 1"}\n`);
    const first = await start();
    await first.stop();
    await writeFile(join(dataDir, 'server.lock.7'), '{"pid":4194304,"started":"another boot 1"}\n');
    await start();
    expect(await locks()).toContain('server.lock.8');
  });

  it('respects a lock whose owner lives', async () => {
    const owner = { pid: process.ppid, started: await startOfProcess(process.ppid) };
    await writeFile(join(dataDir, 'server.lock.1'), `${JSON.stringify(owner)}\n`);
    await expect(start()).rejects.toThrow(`DATA_DIR ${dataDir} is in use by process ${process.ppid}`);
  });

  it('begins anew where the first start was killed half-way', async () => {
    await mkdir(join(dataDir, 'postgres.draft-killed/cluster/base'), { recursive: true });
    await start();
    expect((await readdir(dataDir)).filter((name) => name.startsWith('postgres'))).toEqual(['postgres']);
  });

  it('does not touch a folder that it did not make', async () => {
    await mkdir(join(dataDir, 'postgres'));
    await writeFile(join(dataDir, 'postgres/mine'), 'precious');
    await expect(start()).rejects.toThrow('is not a database that this server made');
    expect(await readFile(join(dataDir, 'postgres/mine'), 'utf8')).toBe('precious');
    await rm(join(dataDir, 'postgres'), { recursive: true });
    makeDataDir();
    await start();
  });

  it('explains a start that PostgreSQL refuses, and can be started once that is put right', async () => {
    makeDataDir();
    await (await start()).stop();
    const version = join(dataDir, 'postgres/cluster/PG_VERSION');
    const right = await readFile(version, 'utf8');
    await writeFile(version, '9.1\n');
    await expect(start()).rejects.toThrow(/did not start.*initialized by PostgreSQL version 9\.1/s);
    await writeFile(version, right);
    await start();
  });

  it('is not misled by a process that got the id of a killed PostgreSQL', async () => {
    makeDataDir();
    await (await start()).stop();
    const file = join(dataDir, 'postgres/cluster/postmaster.pid');
    await writeFile(file, `${process.pid}\n${dataDir}\n`);
    const { uid, gid } = await stat(join(dataDir, 'postgres'));
    await chown(file, uid, gid);
    await start();
    expect(await postmaster()).not.toBe(process.pid);
  });

  it.skipIf(process.platform !== 'linux')('is not misled by a killed PostgreSQL that nobody has buried', async () => {
    makeDataDir();
    await (await start()).stop();
    const cluster = join(dataDir, 'postgres/cluster');
    // A process that has ended, and whose parent does not ask how: its id is still taken. A shell would ask, `sleep` does not.
    const { uid, gid } = await stat(cluster);
    const script = ['-c', 'sleep 60 & echo $!; exec sleep 60'];
    const parent = spawn('/bin/sh', script, { stdio: ['ignore', 'pipe', 'ignore'], uid, gid, cwd: '/' });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line);
    const nameOf = (id?: number) => readFile(`/proc/${id}/comm`, 'utf8');
    await eventually(async () => expect(await nameOf(parent.pid)).toBe('sleep\n'));
    process.kill(pid, 'SIGKILL');
    await eventually(async () => expect(await startOfProcess(pid)).toBeUndefined());
    process.kill(pid, 0);
    await writeFile(join(cluster, 'postmaster.pid'), `${pid}\n${cluster}\n1\n5432\n/tmp\n\n  1 1\n`);
    await chown(join(cluster, 'postmaster.pid'), uid, gid);
    await start();
    parent.kill('SIGKILL');
  });

  it.skipIf(process.platform !== 'linux')('waits for what a killed PostgreSQL has left running', async () => {
    makeDataDir();
    const first = await start();
    const client = new pg.Client({ connectionString: first.url });
    client.on('error', () => {});
    await client.connect();
    // It does not look up from its work, so it does not notice the end either.
    const { rows } = await client.query('select pg_backend_pid() as pid');
    const [{ pid }] = rows;
    const busy = client.query('select count(*) from generate_series(1, 1e12)').catch((error: Error) => error);
    const active = `select from pg_stat_activity where pid = ${pid} and state = 'active'`;
    await eventually(async () => expect(await query(first.url, active)).toHaveLength(1));
    const postmasterId = await postmaster();
    process.kill(postmasterId, 'SIGKILL');
    await eventually(async () => expect(await startOfProcess(postmasterId)).toBeUndefined());
    expect(await startOfProcess(pid)).toBeDefined();
    await stopLeftBehind(join(dataDir, 'postgres/cluster'), () => {});
    expect(await busy).toBeInstanceOf(Error);
    await first.stop();
    await start();
  });

  it('is started again when it ends by itself, with everything committed, and given up when it does not stop', async () => {
    makeDataDir();
    const alarms: string[] = [];
    const { url, exited } = await start(undefined, (text) => alarms.push(text));
    await query(url, 'create table kept as select 42 as answer');
    const asleep = query(url, 'select pg_sleep(60)').catch((error: Error) => error);
    const answers = () => query(url, 'select answer from kept').catch(() => undefined);
    for (let ends = 1; ends <= common.restarts.times; ends += 1) {
      const before = await postmaster();
      process.kill(before, 'SIGKILL');
      await eventually(() => expect(alarms).toHaveLength(2 * ends));
      expect(await answers()).toEqual([[42]]);
      expect(await postmaster()).not.toBe(before);
    }
    expect(await asleep).toBeInstanceOf(Error);
    expect(alarms.slice(0, 2)).toEqual([
      'PostgreSQL is started again (it ended: signal SIGKILL)',
      'PostgreSQL is ready again',
    ]);
    process.kill(await postmaster(), 'SIGKILL');
    expect((await exited).message).toBe(
      'PostgreSQL ends again and again, 3 times within 10 minutes (it ended: signal SIGKILL)',
    );
  }, 120_000);

  it.skipIf(process.platform !== 'linux')(
    'is stopped while it is started again',
    async () => {
      makeDataDir();
      const alarms: string[] = [];
      const { url, stop } = await start(undefined, (text) => alarms.push(text));
      // It does not notice the end, and is waited for before the next start.
      const busy = query(url, 'select count(*) from generate_series(1, 1e12)').catch((error: Error) => error);
      const active = `select from pg_stat_activity where query like '%generate_series(1, 1e12)' and state = 'active'`;
      await eventually(async () => expect(await query(url, active)).toHaveLength(1));
      process.kill(await postmaster(), 'SIGKILL');
      await eventually(() => expect(alarms).toHaveLength(1));
      await pause(common.restarts.respite + 200);
      expect(await Promise.race([stop().then(() => 'stopped'), pause(30_000, 'still there')])).toBe('stopped');
      expect(await findProcessesIn(join(dataDir, 'postgres/cluster'))).toEqual([]);
      expect(await busy).toBeInstanceOf(Error);
    },
    60_000,
  );

  it.skipIf(process.platform === 'win32')(
    'stops a PostgreSQL that was left running, and only then returns',
    async () => {
      makeDataDir();
      const alarms: string[] = [];
      await start(undefined, (text) => alarms.push(text));
      const pid = await postmaster();
      const log: string[] = [];
      await stopLeftBehind(join(dataDir, 'postgres/cluster'), (line) => log.push(line));
      expect(await startOfProcess(pid)).toBeUndefined();
      expect(log).toEqual([`stopping the PostgreSQL (process ${pid}) that a killed server left running`]);
      await eventually(() => expect(alarms[0]).toBe('PostgreSQL is started again (it ended: exit code 0)'));
    },
  );
});

/** A server of its own, from the built sources; its parent can kill it. */
const server = `
  import { startPostgres } from ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)};
  const options = ${JSON.stringify(common)};
  const { url } = await startPostgres({ ...options, dataDir: process.argv[1], log: () => {} });
  console.log(url);
  setInterval(() => {}, 1000);
`;

async function serve(env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', server, dataDir], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, url: line.toString().trim() };
}

/** Whether PostgreSQL can be run here without `setpriv`: not by root in folders that only root may enter. */
async function runsWithoutSetpriv(): Promise<boolean> {
  if (process.geteuid?.() !== 0) return true;
  const { postgres } = await findBinaries();
  return spawnSync(postgres, ['--version'], { uid: 65534, gid: 65534 }).status === 0;
}

describe.skipIf(process.platform === 'win32')('a server that was killed', () => {
  it.each(['', '/nonexistent'])('starts again with everything committed (PATH %j)', async (path) => {
    await chmod(dataDir, 0o711);
    makeDataDir();
    if (path !== '' && !(await runsWithoutSetpriv())) return;
    const { child, url } = await serve(path === '' ? {} : { PATH: path });
    await query(url, 'create table kept as select 42 as answer');
    const pid = await postmaster();
    await expect(start()).rejects.toThrow(`DATA_DIR ${dataDir} is in use by process ${child.pid}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const next = await start();
    expect(await startOfProcess(pid)).toBeUndefined();
    expect(await query(next.url, 'select answer from kept')).toEqual([[42]]);
  });
});

describe('connections', () => {
  const withRoom = async (connections?: number) => {
    const options = connections === undefined ? common : { ...common, connections };
    const database = await startPostgres({ ...options, dataDir, log: () => {} });
    started.push(database);
    return database;
  };

  it('have the room that is asked for', async () => {
    makeDataDir();
    const { url } = await withRoom(110);
    await eventually(() => connect(url, 110));
    await expect(connect(url, 111)).rejects.toMatchObject({ code: '53300' });
  });

  it.each([undefined, 1])('are a hundred where %s are asked for', async (connections) => {
    makeDataDir();
    const { url } = await withRoom(connections);
    expect(await query(url, 'show max_connections')).toEqual([['100']]);
  });

  it.each([10_001, 100.5, Number.NaN])('cannot be %d', async (connections) => {
    await expect(withRoom(connections)).rejects.toThrow(TypeError);
  });
});
