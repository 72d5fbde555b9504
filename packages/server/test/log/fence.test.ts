import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatCheckpoint, formatNote } from '@countersign/protocol/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFence } from '../../src/log/fence.js';

const ORIGIN = 'here.example/log/ldg.1';

/** A note of a checkpoint; nothing here verifies it. */
function noteOf(size: number, origin = ORIGIN): string {
  const text = formatCheckpoint({ origin, size, root: Buffer.alloc(32, size % 251) });
  return formatNote({ text, signatures: [{ name: origin, id: '00000000', signature: Buffer.alloc(64, 1) }] });
}

describe('the fence', () => {
  let folder: string;
  let now = 0;
  const open = (process = '0') => createFence(folder, process, () => now);

  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'countersign-fence-')), 'log-fence');
    now = 0;
  });
  afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

  it('has the largest of what was raised, whatever the order, and after a restart', async () => {
    const fence = open();
    const sizes = Array.from({ length: 60 }, (_, at) => ((at * 37) % 60) + 1);
    await Promise.all(sizes.map((size) => fence.raise(noteOf(size))));
    expect((await fence.last(ORIGIN))?.size).toBe(60);
    expect(await open().last(ORIGIN)).toMatchObject({ size: 60, note: noteOf(60) });
    expect((await readdir(folder)).length).toBe(1);
  });

  it('never goes back when a smaller one is shown again', async () => {
    const fence = open();
    await fence.raise(noteOf(9));
    await fence.raise(noteOf(4));
    expect((await open().last(ORIGIN))?.size).toBe(9);
  });

  it('knows what other processes of the server have shown: after moments, and at once where it doubts', async () => {
    const [one, two] = [open('0'), open('1')];
    await one.raise(noteOf(3));
    expect((await two.last(ORIGIN))?.size).toBe(3);
    await one.raise(noteOf(5));
    two.reload();
    expect((await two.last(ORIGIN))?.size).toBe(5);
    await one.raise(noteOf(8));
    now += 10_000;
    expect((await two.last(ORIGIN))?.size).toBe(8);
    await two.raise(noteOf(7));
    expect((await open('2').last(ORIGIN))?.size).toBe(8);
  });

  it('keeps logs apart', async () => {
    const fence = open();
    await fence.raise(noteOf(3));
    expect(await fence.last(`${ORIGIN}/2`)).toBeUndefined();
  });
});
