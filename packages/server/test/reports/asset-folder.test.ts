import { mkdir, mkdtemp, realpath, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenFile } from '../../src/base/contained-file.js';
import { Overloaded } from '../../src/base/gather.js';
import { assetLimits } from '../../src/kinds/reports/asset-limits.js';
import { createAssetFolder } from '../../src/records/asset-folder.js';
import { eventually } from '../support/eventually.js';

let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-folder-')));
  await mkdir(join(folder, 'a'));
  await writeFile(join(folder, 'a', 'b'), 'bytes');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const textOf = async (file: OpenFile | undefined) => Buffer.concat(await file!.read().toArray()).toString();

/** Opens a file once a place for it is free, which is a moment after another was closed. */
const again = (open: () => Promise<OpenFile | undefined>) => eventually(open);

describe('the folder of generated files', () => {
  const { each, all } = assetLimits;

  it('opens so many for a ledger at a time, and not one more', async () => {
    const open = createAssetFolder(folder);
    const files = await Promise.all(Array.from({ length: each }, () => open(1, ['a', 'b'])));
    await expect(open(1, ['a', 'b'])).rejects.toThrow(Overloaded);
    expect(await textOf(await open(2, ['a', 'b']))).toBe('bytes');
    // One that was read has given up its place, and so has one that was closed unread, and one that is not there.
    expect(await textOf(files[0])).toBe('bytes');
    await files[0]!.closed;
    expect(await again(() => open(1, ['a', 'none']))).toBeUndefined();
    files[1]!.close();
    await files[1]!.closed;
    const more = [await again(() => open(1, ['a', 'b'])), await again(() => open(1, ['a', 'b']))];
    await expect(open(1, ['a', 'b'])).rejects.toThrow(Overloaded);
    for (const file of [...more, ...files]) file?.close();
  });

  it('opens so many for all ledgers at a time, and not one more', async () => {
    const open = createAssetFolder(folder);
    const files = await Promise.all(
      Array.from({ length: all }, (_, at) => open(1 + Math.floor(at / each), ['a', 'b'])),
    );
    await expect(open(all, ['a', 'b'])).rejects.toThrow(Overloaded);
    for (const file of files) file?.close();
    await Promise.all(files.map((file) => file?.closed));
    expect(await textOf(await again(() => open(all, ['a', 'b'])))).toBe('bytes');
  });

  it('lets go of a file whose reading is given up before it begins', async () => {
    const open = createAssetFolder(folder);
    const file = await open(1, ['a', 'b']);
    file!.read().destroy();
    await file!.closed;
  });

  it('fails where a file has become shorter: who was told its length would take the next answer for the rest', async () => {
    const path = join(folder, 'shrinks');
    await writeFile(path, Buffer.alloc(1024 * 1024));
    const file = await createAssetFolder(folder)(1, ['shrinks']);
    await truncate(path, 1024);
    await expect(file!.read().toArray()).rejects.toThrow('shorter');
    await file!.closed;
  });

  it('reads no more of a file that grows than it had', async () => {
    const path = join(folder, 'grows');
    await writeFile(path, 'four');
    const file = await createAssetFolder(folder)(1, ['grows']);
    await writeFile(path, 'four and more');
    expect(await textOf(file)).toBe('four');
  });

  it.each([[['..', 'x']], [['a', '..', 'a', 'b']], [['a/b']], [['a', '']], [['.', 'a', 'b']], [['a', 'b\0']]])(
    'has nothing at %j',
    async (path) => expect(await createAssetFolder(folder)(1, path)).toBeUndefined(),
  );

  it('has nothing where it is not there itself', async () => {
    expect(await createAssetFolder(join(folder, 'none'))(1, ['a'])).toBeUndefined();
  });

  it.skipIf(process.getuid?.() === 0)('says so when a file may not be read', async () => {
    await writeFile(join(folder, 'closed'), '', { mode: 0 });
    await expect(createAssetFolder(folder)(1, ['closed'])).rejects.toThrow('EACCES');
  });
});
