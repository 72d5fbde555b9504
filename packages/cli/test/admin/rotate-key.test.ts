import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createMigratedDatabase } from '../../../server/test/support/database.js';
import { Cli, withFolder } from '../support/cli.js';

const folder = withFolder();

it('countersign admin rotate-key makes the next key of a data folder, puts its file in the place of the former one, and ends what was cut short', async () => {
  const database = await createMigratedDatabase();
  const data = join(folder.path, 'data');
  const cli = new Cli(folder.path, { DATABASE_URL: database.url, DATA_DIR: data, DATABASE_WAIT: '0' });
  const file = (name: string) => readFile(join(data, name), 'utf8');
  const rotate = () => cli.done(['admin', 'rotate-key', '--yes', '--json']);
  // Ties the database to a key, which it makes.
  await cli.call(['export', 'none', '--data', data]);
  const first = await file('master.key');

  expect((await cli.call(['admin', 'rotate-key'])).code).toBe(2);
  expect((await rotate()).json).toEqual({ from: 1, to: 2, sealed: 1, formerFile: join(data, 'master.key.1') });
  expect((await readdir(data)).filter((name) => name.startsWith('master'))).toEqual(['master.key', 'master.key.1']);
  expect(await file('master.key.1')).toBe(first);
  const second = await file('master.key');
  expect(second).not.toBe(first);

  // As after a kill before the files were renamed.
  await rename(join(data, 'master.key'), join(data, 'master.key.next'));
  await rename(join(data, 'master.key.1'), join(data, 'master.key'));
  expect((await rotate()).json).toMatchObject({ from: 1, to: 2, sealed: 0 });
  expect([await file('master.key.1'), await file('master.key')]).toEqual([first, second]);
  expect((await rotate()).json).toMatchObject({ from: 2, to: 3, sealed: 1 });

  const byName = cli.with({ MASTER_KEY: (await file('master.key')).trim() });
  const none = await byName.call(['admin', 'rotate-key', '--yes']);
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('There is no next key: set MASTER_KEY_NEXT')]);
  const other = await byName.call(['admin', 'rotate-key', '--yes'], { env: { MASTER_KEY: first.trim() } });
  expect([other.code, other.err]).toEqual([
    4,
    expect.stringContaining('is not the one that this database was made with'),
  ]);
  await database.drop();
});
