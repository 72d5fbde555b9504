import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allSealed, LogReader } from '../log/reading.js';
import { newLedger } from '../support/client.js';
import { read } from '../support/documents.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { blockOf, filledIn } from '../support/page.js';
import { stored } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { closeSql, runSql } from '../support/sql.js';
import { POSTGRES } from './patroni.js';

const PATIENCE = 300_000;
const isThere = existsSync(join(POSTGRES, 'pg_basebackup'));
const account = process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
let home: string;
let port: number;
let server: RunningServer | undefined;

/** Runs a program of Debian's PostgreSQL, as its user. */
function run(program: string, ...args: string[]): string {
  const [file = '', ...rest] = [...account, join(POSTGRES, program), ...args];
  return execFileSync(file, rest, { encoding: 'utf8', cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
}

const control = (...args: string[]) =>
  run('pg_ctl', '--pgdata', join(home, 'data'), '--wait', '--log', join(home, 'log'), ...args);

beforeAll(async () => {
  if (!isThere) return;
  home = await realpath(await mkdtemp(join(tmpdir(), 'countersign-basebackup-')));
  mkdirSync(join(home, 'backups/wal'), { recursive: true });
  chmodSync(home, 0o755);
  const uid = account.length > 0 ? Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' })) : undefined;
  if (uid !== undefined) for (const path of ['', 'backups', 'backups/wal']) chownSync(join(home, path), uid, uid);
  port = await freePort();
  run(
    'initdb',
    '--pgdata',
    join(home, 'data'),
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
  );
  const settings = here(blockOf('backup', 'archive_mode = on')).replace('archive_timeout = 60', 'archive_timeout = 1');
  appendFileSync(
    join(home, 'data/postgresql.conf'),
    `port = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\n${settings}`,
  );
  control('start');
}, PATIENCE);

afterAll(async () => {
  if (!isThere) return;
  await server?.stop();
  control('stop', '--mode=immediate');
  rmSync(home, { recursive: true });
}, PATIENCE);

/** A text of the page with the folder of this test. */
const here = (text: string) => filledIn(text, [['/mnt/backups', join(home, 'backups')]]);

it.runIf(isThere)(
  'the runbook of pg_basebackup restores the moment between two writes, and the server notices',
  { timeout: PATIENCE },
  async () => {
    const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
    const database = { url, drop: async () => {} };
    const dataDir = join(home, 'fence');
    mkdirSync(dataDir);
    server = await startServer({ database, dataDir });
    const client = await newLedger(server.url, { config: { log: 'open' } });
    const before: string[] = [];
    const [backUp, verify] = here(blockOf('backup', 'pg_basebackup')).trim().split('\n');
    // Writes go on while it is taken.
    for (let made = 0; made < 5; made += 1) {
      await stored(client, 'wallet', { handle: `w-${made}` });
      before.push(`w-${made}`);
      const [program = '', ...args] = (made === 2 ? backUp! : '').split(' ');
      if (program) run(program, ...args, '--host=127.0.0.1', `--port=${port}`, '--username=postgres');
    }
    run(...(verify!.split(' ') as [string, string]));
    const [{ at }] = (await runSql<{ at: string }>(url, 'select clock_timestamp()::text as at')) as [{ at: string }];
    await stored(client, 'wallet', { handle: 'after' });
    const reader = await LogReader.of(client);
    const { size } = await allSealed(client);
    await eventually(async () => expect((await reader.checkpoint()).size).toBe(size));
    const [{ name }] = (await runSql<{ name: string }>(url, 'select pg_walfile_name(pg_switch_wal()) as name')) as [
      { name: string },
    ];
    await eventually(() => expect(existsSync(join(home, 'backups/wal', name))).toBe(true));
    await server.stop();
    await closeSql(url);
    control('stop', '--mode=immediate');
    // What only older backups need is removed, and nothing that this one does.
    const archived = () => readdirSync(join(home, 'backups/wal')).sort();
    const oldest = archived().find((file) => file.endsWith('.backup'));
    const [cleanup = ''] = /pg_archivecleanup [^`]+/.exec(read('docs/operations/backup.md')) ?? [];
    const words = cleanup
      .replace('/mnt/backups', join(home, 'backups'))
      .replace('<name>', oldest ?? '')
      .split(' ');
    run(...(words as [string, ...string[]]));
    expect(archived()[0]?.slice(0, 24)).toBe(oldest?.slice(0, 24));

    rmSync(join(home, 'data'), { recursive: true });
    cpSync(join(home, 'backups/base'), join(home, 'data'), { recursive: true });
    const recovery = here(blockOf('backup', 'restore_command')).replace(/'2026-[^']+'/, `'${at}'`);
    appendFileSync(join(home, 'data/postgresql.auto.conf'), recovery);
    writeFileSync(join(home, 'data/recovery.signal'), '');
    if (account.length > 0) execFileSync('chown', ['-R', 'postgres:postgres', join(home, 'data')]);
    chmodSync(join(home, 'data'), 0o700);
    control('start');
    await eventually(async () =>
      expect(await runSql(url, 'select pg_is_in_recovery() as is')).toEqual([{ is: false }]),
    );
    server = await startServer({ database, dataDir });
    const again = client.as(client.key);
    Object.assign(again, { url: server.url });
    const { body } = await again.get('/wallets?page.limit=100');
    expect(body.data.map((one: { data: { handle: string } }) => one.data.handle).sort()).toEqual(before);
    await eventually(async () =>
      expect(await (await fetch(new URL('/health', server!.url))).json()).toMatchObject({ logsStopped: 1 }),
    );
  },
);
