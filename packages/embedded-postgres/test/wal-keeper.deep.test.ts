import { appendFile, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { startPostgres } from '../src/start.js';
import { SUMS } from '../src/wal.js';
import { forgetWal, keepWal } from '../src/wal-keeper.js';

it('the log is copied, each sum on a line of its own, and what PostgreSQL has removed meanwhile is told', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'wal-keeper-')));
  const folder = join(root, 'wal');
  const database = await startPostgres({
    name: 'embedded',
    dataDir: join(root, 'data'),
    restarts: { times: 0, within: 1, respite: 1 },
    leastFree: 0,
    log: () => {},
    settings: { min_wal_size: '32MB', wal_recycle: 'off' },
  });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  /** Copies once or twice. @returns how often a gap was told */
  const copy = async (): Promise<number> => {
    const failed = vi.fn();
    const gap = vi.fn();
    const kept = vi.fn();
    const keeper = keepWal({ url: database.url, folder, pause: 60_000, before: async () => {}, kept, failed, gap });
    await keeper.stop();
    expect(failed).not.toHaveBeenCalled();
    return gap.mock.calls.length;
  };
  const complete = async () => {
    await client.query("select pg_logical_emit_message(true, 'test', 'x')");
    await client.query('select pg_switch_wal()');
  };
  try {
    expect(await copy()).toBe(0);
    const [system = ''] = await readdir(folder);
    const sums = join(folder, system, SUMS);
    await complete();
    await appendFile(sums, 'torn');
    expect(await copy()).toBe(0);
    expect(await readFile(sums, 'utf8')).toMatch(/^torn\n[0-9a-f]{64} {2}[0-9A-F]{24}\n$/);

    // As a start without a folder of backups does.
    await forgetWal(database.url);
    expect(await copy()).toBe(0);
    await forgetWal(database.url);
    for (let count = 0; count < 4; count += 1) await complete();
    await client.query('checkpoint');
    await client.query('checkpoint');
    expect(await copy()).toBe(1);
    expect(await copy()).toBe(0);
  } finally {
    await client.end();
    await database.stop();
    await rm(root, { recursive: true, force: true });
  }
});
