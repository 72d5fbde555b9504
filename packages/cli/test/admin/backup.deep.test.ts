import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, cp, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allSealed, LogReader } from '../../../server/test/log/reading.js';
import { newLedger, type TestClient } from '../../../server/test/support/client.js';
import { eventually } from '../../../server/test/support/eventually.js';
import { freePort } from '../../../server/test/support/free-port.js';
import { stored } from '../../../server/test/support/scene.js';
import { Cli, type Outcome, withFolder } from '../support/cli.js';

const PATIENCE = 600_000;
const folder = withFolder();
const data = () => join(folder.path, 'data');
const backups = () => join(folder.path, 'backups');
let cli: Cli;
let url: string;
let server: ReturnType<Cli['start']> | undefined;

const admin = (...args: string[]): Promise<Outcome> => cli.call(['admin', ...args, '--data', data()]);

const done = async (...args: string[]): Promise<Outcome> => {
  const outcome = await admin(...args);
  expect([outcome.code, outcome.code === 0 ? '' : outcome.err]).toEqual([0, '']);
  return outcome;
};

beforeAll(async () => {
  const [port, metrics] = [String(await freePort()), String(await freePort())];
  cli = new Cli(folder.path, { PORT: port, METRICS_PORT: metrics, WORKERS: '1', BACKUP_DIR: backups() });
  url = `http://127.0.0.1:${port}/v2`;
});

async function start(): Promise<void> {
  const child = cli.start(['serve', '--data', data()]);
  server = child;
  child.stderr.on('data', (text) => {
    said += text;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text: Buffer) => text.includes('listening on') && resolve());
    child.once('exit', () => reject(new Error(`The server has ended:\n${said}`)));
  });
}
let said = '';

/** As when the machine loses power: every process ends, and what PostgreSQL keeps in memory is lost as well. */
async function kill(): Promise<void> {
  const running = server!;
  server = undefined;
  const ended = once(running, 'exit');
  const all = spawnSync('ps', ['-o', 'pid=', '--ppid', String(running.pid)], { encoding: 'utf8' }).stdout;
  for (const pid of [String(running.pid), ...all.trim().split(/\s+/)]) process.kill(Number(pid), 'SIGKILL');
  await ended;
}

async function stop(): Promise<void> {
  const running = server;
  server = undefined;
  if (running === undefined || running.exitCode !== null) return;
  const ended = once(running, 'exit');
  running.kill('SIGTERM');
  await ended;
}

afterAll(stop, PATIENCE);

const metric = async (name: string) =>
  Number(
    new RegExp(`^${name} (.+)$`, 'm').exec(
      await (await fetch(`http://127.0.0.1:${cli.env.METRICS_PORT}/metrics`)).text(),
    )?.[1],
  );

const handlesOf = async (client: TestClient): Promise<string[]> => {
  const { body } = await client.get('/wallets?page.limit=100');
  return body.data.map((one: { data: { handle: string } }) => one.data.handle).sort();
};

/** Waits until what is stored by now is in the folder of backups. */
async function keptSince(moment: number): Promise<void> {
  await eventually(async () => {
    const age = await metric('countersign_backup_wal_age_seconds');
    expect(Date.now() - age * 1_000).toBeGreaterThan(moment);
  });
}

it(
  'a backup that is taken under way is brought to the moment between two writes, and to the last one, after a kill',
  async () => {
    await start();
    const client = await newLedger(url, { config: { log: 'open' } });
    const writing = { goesOn: true, count: 0 };
    const written = (async () => {
      for (; writing.goesOn && writing.count < 90; writing.count += 1)
        await stored(client, 'wallet', { handle: `during-${writing.count}` });
    })();
    await eventually(() => expect(writing.count).toBeGreaterThan(3));
    const { json: made } = await done('backup', '--with-master-key', '--json');
    expect(made).toMatchObject({ isContinued: true, removed: [] });
    expect(made.masterKeyIn).toBeUndefined();
    for (const name of await readdir(made.path)) expect((await stat(join(made.path, name))).mode & 0o777).toBe(0o600);
    writing.goesOn = false;
    await written;
    await stored(client, 'wallet', { handle: 'before' });
    const before = await handlesOf(client);
    const moment = new Date(Date.now() + 100);
    await eventually(() => expect(Date.now()).toBeGreaterThan(moment.getTime() + 100));
    await stored(client, 'wallet', { handle: 'after' });
    // What follows is sealed under another key than that of the backup.
    await done('rotate-key', '--yes');
    const { size } = await allSealed(client);
    const reader = await LogReader.of(client);
    await eventually(async () => expect((await reader.checkpoint()).size).toBe(size));
    // A minute later the fence would be there, too: here another backup takes it.
    await done('backup');
    await keptSince(Date.now());
    await kill();
    await rename(data(), `${data()}.lost`);

    const to = moment.toISOString();
    const restored = await done('restore', '--to', to, '--json');
    expect(restored.json).toMatchObject({
      backup: made.path,
      isContinued: true,
      missingKeys: [],
      timeline: 2,
      unread: 0,
    });
    expect(Date.parse(restored.json.lastCommit)).toBeLessThan(moment.getTime());
    await start();
    expect(await handlesOf(client)).toEqual(before);
    // What was shown of the log is known to be lost.
    await eventually(async () =>
      expect(await (await fetch(new URL('/health', url))).json()).toMatchObject({ logsStopped: 1 }),
    );
    expect(said).toContain('writes are lost: the database has fewer leaves of a log than were shown');
    await stored(client, 'wallet', { handle: 'other' });
    await keptSince(Date.now());
    await stop();
    // A log that went back is not exported before its operator has begun a new generation.
    const file = join(folder.path, 'ledger.ndjson');
    expect((await cli.call(['export', client.ledger!, '--file', file, '--data', data()])).err).toMatch(
      /^✗ The log has \d+ leaves, and \d+ were shown: the database has gone back in time/,
    );
    await rm(file, { force: true });
    await cli.done(['log', 'restart', client.ledger!, '--yes', '--data', data()]);
    await cli.done(['export', client.ledger!, '--file', file, '--data', data()]);
    const verified = await cli.done(['verify', file, '--json']);
    expect(verified.json).toMatchObject({ ok: true });

    // The moment was the wrong one: the former timeline is there still, to its end.
    await rm(data(), { recursive: true });
    // The newer backup was made after that moment, in what was left: the newest timeline does not come from it.
    expect((await done('restore', '--json')).json).toMatchObject({ backup: made.path, followed: 2, timeline: 3 });
    await rm(data(), { recursive: true });
    const former = await done('restore', '--timeline', '1');
    expect(former.err).toContain('Master key 2 is missing:');
    await rm(join(data(), 'postgres'), { recursive: true });
    await cp(join(`${data()}.lost`, 'master.key'), join(data(), 'master.key'));
    // The key that is in place stays.
    const again = (await done('restore', '--timeline', '1', '--json')).json;
    expect(again).toMatchObject({ timeline: 3, unread: 0, missingKeys: [] });
    await start();
    expect(await handlesOf(client)).toEqual([...before, 'after'].sort());
    expect(await (await fetch(new URL('/health', url))).json()).toEqual({ status: 'UP' });
    await stop();
    backup = made.path;
  },
  PATIENCE,
);
let backup = '';

/** Writes a setting into a backup, with sums to match, as whoever may write the folder can. */
async function setInBackup(path: string, setting: string): Promise<void> {
  const [tar, manifest] = [join(path, 'base.tar'), join(path, 'manifest.json')];
  const bytes = await readFile(tar);
  const at = bytes.indexOf('# -----------------------------\n# PostgreSQL configuration file');
  expect(at).toBeGreaterThan(0);
  bytes.write(`${setting}\n#`, at);
  await writeFile(tar, bytes);
  const described = JSON.parse(await readFile(manifest, 'utf8'));
  described.files['base.tar'].sha256 = createHash('sha256').update(bytes).digest('hex');
  await writeFile(manifest, JSON.stringify(described));
}

const refusal = async (...args: string[]): Promise<[number | null, string]> => {
  const { code, err } = await admin(...args);
  return [code, err.split('\n')[0]!];
};

it(
  'refuses what it cannot restore, or back up, with one line: 2 for a wrong call, 4 for what is wrong on the machine, 1 beside a server',
  async () => {
    const inUse = await refusal('restore');
    expect(inUse).toEqual([4, `✗ ${data()} is not empty: move it away first, and only its log-fence back.`]);
    expect(await refusal('backup', join(data(), 'backups'))).toEqual([
      2,
      expect.stringContaining('is in the data folder'),
    ]);
    const shared = join(folder.path, 'shared');
    await mkdir(shared);
    await chmod(shared, 0o770);
    expect(await refusal('backup', shared)).toEqual([
      4,
      expect.stringContaining(`${shared} can be changed by other users`),
    ]);
    expect(await refusal('backup', '--keep', '0')).toEqual([2, expect.stringContaining('--keep is a whole number')]);
    await rm(data(), { recursive: true });
    for (const to of ['yesterday', '2026-11-27T09:30:00', '2999-01-01T00:00:00Z'])
      expect(await refusal('restore', '--to', to)).toEqual([2, expect.stringContaining('--to is a moment')]);
    expect(await refusal('restore', '--to', '2020-01-01T00:00:00Z')).toEqual([
      2,
      expect.stringContaining('are later than'),
    ]);
    expect(await refusal('restore', folder.path)).toEqual([2, `✗ There is no backup in ${folder.path}.`]);
    // All earlier ones aside, each part of this one is altered in turn.
    const only = join(folder.path, 'only');
    const copy = join(only, basename(backup));
    const anew = async () => {
      await rm(only, { recursive: true, force: true });
      await cp(backup, copy, { recursive: true });
    };
    await anew();
    await rm(join(copy, 'password'));
    expect(await refusal('restore', only)).toEqual([
      4,
      expect.stringMatching(/^✗ The backup is incomplete: .*password is missing\.$/),
    ]);
    await anew();
    const tar = await open(join(copy, 'base.tar'), 'r+');
    await tar.write('x', 1_000_000);
    await tar.close();
    expect(await refusal('restore', only)).toEqual([4, `✗ The backup was altered: ${join(copy, 'base.tar')}.`]);
    await anew();
    for (const [path, mode] of [
      [only, 0o777],
      [copy, 0o720],
      [join(copy, 'base.tar'), 0o602],
    ] as const) {
      const before = (await stat(path)).mode;
      await chmod(path, mode);
      expect(await refusal('restore', only)).toEqual([
        4,
        expect.stringContaining(`${path} can be changed by other users`),
      ]);
      await chmod(path, before);
    }
    const manifest = JSON.parse(await readFile(join(copy, 'manifest.json'), 'utf8'));
    await writeFile(join(copy, 'manifest.json'), JSON.stringify({ ...manifest, postgres: '17.5' }));
    expect(await refusal('restore', only)).toEqual([
      4,
      expect.stringContaining('The backup is of PostgreSQL 17, and this release has 18'),
    ]);
    await writeFile(join(copy, 'manifest.json'), '{');
    expect(await refusal('restore', only)).toEqual([4, expect.stringContaining('manifest.json was altered')]);
    await rm(join(copy, 'manifest.json'));
    expect(await refusal('restore', only)).toEqual([4, expect.stringContaining('is not a complete backup')]);
    // Without the log since, it is restored as it was when it ended.
    await anew();
    const { ended } = JSON.parse(await readFile(join(copy, 'manifest.json'), 'utf8'));
    expect(await refusal('restore', only, '--to', ended)).toEqual([
      2,
      expect.stringContaining('No write-ahead log is kept'),
    ]);
    expect((await readdir(data())).filter((name) => name.includes('postgres'))).toEqual([]);
    // Settings of a backup would be run as commands.
    const trace = join(folder.path, 'trace');
    await setInBackup(copy, `recovery_end_command = 'touch ${trace}'`);
    // A key that is in place stays, though it is none of this moment.
    await cp(join(`${data()}.lost`, 'master.key'), join(data(), 'master.key'));
    expect((await done('restore', only, '--json')).json).toMatchObject({ isContinued: false, missingKeys: [1] });
    await expect(stat(trace)).rejects.toThrow('ENOENT');
    expect(await readFile(join(data(), 'postgres', 'cluster', 'postgresql.conf'), 'utf8')).not.toContain(trace);
    // The log that is kept since the first backup.
    await rm(data(), { recursive: true });
    const newest = (await readdir(backups()))
      .filter((name) => /^\d{4}-/.test(name))
      .sort()
      .at(-1)!;
    await rm(join(backups(), newest), { recursive: true });
    const [system = ''] = await readdir(join(backups(), 'wal'));
    const wal = join(backups(), 'wal', system);
    const complete = (await readdir(wal)).filter((name) => /^00000001[0-9A-F]{16}$/.test(name)).sort();
    const last = join(wal, complete.at(-1)!);
    await rename(last, `${last}.away`);
    // It may have been the last of all: nothing is in the one after it, or it is not there.
    const later = join(wal, `${nameAfter(complete.at(-1)!)}.partial`);
    const laterBytes = await stat(later).then(
      ({ size }) => size,
      () => 0,
    );
    if (laterBytes === 0) await writeFile(later, Buffer.alloc(8_192));
    expect(await refusal('restore', '--timeline', '1')).toEqual([
      4,
      expect.stringContaining('a later segment is missing'),
    ]);
    await writeFile(last, Buffer.alloc(16 * 1024 * 1024, 1));
    expect(await refusal('restore')).toEqual([
      4,
      `✗ ${last} was altered: move it and those after it elsewhere to restore what comes before them.`,
    ]);
    await rename(`${last}.away`, last);
    const now = new Date().toISOString();
    expect(await refusal('restore', '--timeline', '1', '--to', now)).toEqual([
      4,
      expect.stringMatching(/^✗ What is kept has no commit later than /),
    ]);
    await cp(join(`${data()}.lost`, 'master.key'), join(data(), 'master.key'));
    await start();
    expect(await refusal('restore')).toEqual([
      1,
      expect.stringMatching(/^✗ A server uses .* \(process \d+\): stop it first\.$/),
    ]);
  },
  PATIENCE,
);

/** The name of the segment of the log after that one; neither is the last of its 4 GB. */
function nameAfter(segment: string): string {
  const number = Number.parseInt(segment.slice(16), 16) + 1;
  return `${segment.slice(0, 16)}${number.toString(16).toUpperCase().padStart(8, '0')}`;
}
