import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { linesOf } from '../../src/terminal/lines.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-lines-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(text: string): Promise<string[]> {
  const path = join(folder, 'lines');
  await writeFile(path, text);
  const lines: string[] = [];
  for await (const line of linesOf(path)) lines.push(line);
  return lines;
}

it('gives the lines of a file, however they lie on the pieces that are read', async () => {
  const long = 'é"€'.repeat(100_000);
  for (const lines of [[], ['a'], ['', 'a', '', 'b'], [long, 'a', `${long}x`, '', long], ['x'.repeat(65_535), 'y']]) {
    const ended = lines.map((line) => `${line}\n`).join('');
    expect(await read(ended)).toEqual(lines);
    expect(await read(`${ended}z`)).toEqual([...lines, 'z']);
  }
});

it('cuts a line that is longer than any of an export, and goes on behind it', async () => {
  const lines = await read(`a\n${'x'.repeat(64 * 2 ** 20 + 100_000)}\nb\n`);
  expect(lines.map(({ length }) => length)).toEqual([1, 64 * 2 ** 20 + 1, 1]);
});
