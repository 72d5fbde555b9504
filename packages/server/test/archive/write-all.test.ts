import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeAll } from '../../src/archive/write-all.js';

it('writes all bytes, where the system takes a few at a time (export#export)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-write-'));
  const file = await open(join(folder, 'file'), 'w');
  try {
    const few = {
      write: (bytes: Buffer, from: number, length: number, at: number) =>
        file.write(bytes, from, Math.min(7, length), at),
    } as unknown as typeof file;
    const texts = ['a line\n', 'Größe — and more than seven bytes\n', '', 'end\n'];
    let at = 0;
    for (const text of texts) at = await writeAll(few, Buffer.from(text), at);
    expect(at).toBe(Buffer.byteLength(texts.join('')));
    expect(await readFile(join(folder, 'file'), 'utf8')).toBe(texts.join(''));
  } finally {
    await file.close();
    await rm(folder, { recursive: true, force: true });
  }
});
