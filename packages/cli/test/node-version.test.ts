import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MAIN } from './support/cli.js';

/** Makes `JSON.parse` misread as Node.js 24 does: what it has read before decides. */
const MISREADING = String.raw`const { parse } = JSON;
let isPrimed = false;
JSON.parse = (text, ...more) => {
  const isFirst = String(text).includes('"countersign":0,"\\\\"');
  isPrimed ||= isFirst;
  return parse(isPrimed && !isFirst ? String(text).replace('"countersign":0,"\\n"', '"countersign":0,"\\\\"') : text, ...more);
};`;

it('does nothing under a Node.js that misreads JSON', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-node-'));
  try {
    const preload = join(folder, 'misreading.cjs');
    await writeFile(preload, MISREADING);
    const call = (...args: string[]) => spawnSync(process.execPath, [...args, MAIN, '--version'], { encoding: 'utf8' });
    expect(call()).toMatchObject({ status: 0, stderr: '' });
    const refused = call('-r', preload);
    expect(refused).toMatchObject({ status: 4, stdout: '' });
    expect(refused.stderr).toMatch(
      /^countersign: This Node\.js misreads some member names in JSON, .*: use Node\.js 20 or 22\.$/m,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
