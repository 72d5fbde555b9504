import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findPostgres } from '../src/find.js';
import { startPostgres } from '../src/start.js';

const common = { name: 'embedded', restarts: { times: 2, within: 600_000, respite: 500 }, leastFree: 0 };

let dataDir: string;

beforeEach(async () => {
  // Outside of the folder for temporary files, which one test hides.
  dataDir = await realpath(await mkdtemp('/var/tmp/embedded-postgres-'));
});

afterEach(() => rm(dataDir, { recursive: true, force: true }));

const find = () => findPostgres(dataDir, common.name);

it('leads another program to the PostgreSQL that runs, and to none before and after', async () => {
  expect(await find()).toBeUndefined();
  const { url, stop } = await startPostgres({ ...common, dataDir, log: () => {} });
  const file = join(dataDir, 'postgres/cluster/postmaster.pid');
  const status = await readFile(file, 'utf8');
  const { uid, gid } = await stat(file);
  const at = process.platform === 'linux' ? `/proc/${status.split('\n')[0]}/root` : '';
  expect(decodeURIComponent((await find())!)).toBe(decodeURIComponent(url).replace('host=', `host=${at}`));
  await stop();
  expect(await find()).toBeUndefined();
  // What one leaves behind that is killed.
  await writeFile(file, status);
  await chown(file, uid, gid);
  expect(await find()).toBeUndefined();
});

const mayHide = process.platform === 'linux' && spawnSync('unshare', ['-m', 'true']).status === 0;

it.runIf(mayHide)('finds one whose folder for temporary files is its own, as under systemd', async () => {
  const source = new URL('../dist/index.js', import.meta.url).href;
  const program = `import { startPostgres } from '${source}';
    const postgres = await startPostgres({ ...${JSON.stringify(common)}, dataDir: process.argv[1], log: () => {} });
    console.log('ready');
    process.stdin.on('end', () => postgres.stop()).resume();`;
  const hidden = `mount -t tmpfs tmpfs ${tmpdir()} && exec "$0" --input-type=module -e "$1" "$2"`;
  const child = spawn('unshare', ['-m', 'sh', '-c', hidden, process.execPath, program, dataDir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    await once(child.stdout, 'data');
    const url = await find();
    expect(new URL(url!).searchParams.get('host')).toMatch(/^\/proc\/\d+\/root\//);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    expect((await client.query('select 42 as answer')).rows).toEqual([{ answer: 42 }]);
    await client.end();
  } finally {
    child.stdin.end();
    await once(child, 'close');
  }
});
