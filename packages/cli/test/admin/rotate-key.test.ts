import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keyCheck } from '../../../server/src/keys/master-key.js';
import { createMigratedDatabase } from '../../../server/test/support/database.js';
import { runSql } from '../../../server/test/support/sql.js';
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
  const [keyFile, formerFile] = [join(data, 'master.key'), join(data, 'master.key.1')];
  expect((await rotate()).json).toEqual({ from: 1, to: 2, sealed: 1, keyFile, formerFile });
  expect((await readdir(data)).filter((name) => name.startsWith('master'))).toEqual(['master.key', 'master.key.1']);
  expect(await file('master.key.1')).toBe(first);
  const second = await file('master.key');
  expect(second).not.toBe(first);

  // As after a kill before the files were renamed.
  await rename(join(data, 'master.key'), join(data, 'master.key.next'));
  await rename(join(data, 'master.key.1'), join(data, 'master.key'));
  expect((await rotate()).json).toMatchObject({ from: 1, to: 2, sealed: 0 });
  expect([await file('master.key.1'), await file('master.key')]).toEqual([first, second]);
  // Ended altogether, it begins another one, and says so.
  const again = await cli.call(['admin', 'rotate-key', '--yes']);
  expect(again).toMatchObject({ code: 0, err: expect.stringContaining('Master key 2 was replaced by 3:') });
  expect(again.err).toContain(`Copy ${keyFile} elsewhere now: backups from now on need it.`);

  const byName = cli.with({ MASTER_KEY: (await file('master.key')).trim() });
  const none = await byName.call(['admin', 'rotate-key', '--yes']);
  expect([none.code, none.err]).toEqual([4, expect.stringContaining('There is no next key: set MASTER_KEY_NEXT')]);
  const other = await byName.call(['admin', 'rotate-key', '--yes'], { env: { MASTER_KEY: first.trim() } });
  expect([other.code, other.err]).toEqual([
    4,
    expect.stringContaining('is not the one that this database was made with'),
  ]);
  await database.drop();
});

it('countersign admin rotate-key refuses the present key as the next one, and moves no file but those of both keys', async () => {
  const database = await createMigratedDatabase();
  const data = join(folder.path, 'other');
  const cli = new Cli(folder.path, { DATABASE_URL: database.url, DATA_DIR: data, DATABASE_WAIT: '0' });
  const file = (name: string) => readFile(join(data, name), 'utf8');
  const files = async () => (await readdir(data)).filter((name) => name.startsWith('master')).sort();
  const put = (name: string, key: Buffer) =>
    writeFile(join(data, name), `${key.toString('base64')}\n`, { mode: 0o600 });
  const rotate = (env = {}) => cli.call(['admin', 'rotate-key', '--yes'], { env });
  await cli.call(['export', 'none', '--data', data]);
  const first = await file('master.key');
  const [stale, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)];

  await put('master.key.next', stale);
  const bySetting = { MASTER_KEY_NEXT: second.toString('base64') };
  expect(await rotate(bySetting)).toMatchObject({ code: 0, err: expect.stringContaining('Make MASTER_KEY the new') });
  expect(await files()).toEqual(['master.key', 'master.key.next']);
  expect(await file('master.key')).toBe(first);
  const nothing = { code: 1, err: expect.stringContaining('Nothing was replaced: the next key is the present one') };
  expect(await rotate(bySetting)).toMatchObject(nothing);
  expect(await rotate({ ...bySetting, MASTER_KEY: bySetting.MASTER_KEY_NEXT })).toMatchObject(nothing);

  // A rotation is under way, and its files have changed places.
  await put('master.key', third);
  await put('master.key.next', second);
  await runSql(database.url, 'insert into master_key (number, key_check) values (3, $1)', [keyCheck(third)]);
  expect(await rotate()).toMatchObject({ code: 4, err: expect.stringContaining('is not the key that all is sealed') });
  expect(await files()).toEqual(['master.key', 'master.key.next']);

  await put('master.key', second);
  await put('master.key.next', third);
  await put('master.key.2', stale);
  expect(await rotate()).toMatchObject({ code: 4, err: expect.stringContaining('master.key.2 is another key') });
  expect((await file('master.key.2')).trim()).toBe(stale.toString('base64'));
  await rm(join(data, 'master.key.2'));
  expect(await rotate()).toMatchObject({ code: 0 });
  expect(await files()).toEqual(['master.key', 'master.key.2']);
  expect((await file('master.key')).trim()).toBe(third.toString('base64'));
  await database.drop();
});
