import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { COMPILED } from './support/cli.js';

const preload = (name: string) => [
  '-r',
  fileURLToPath(new URL(`../../server/test/support/${name}.cjs`, import.meta.url)),
];

it('replaces the function that misreads JSON before it loads a dependency', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-cli-'));
  try {
    const LOADED_BEFORE = join(folder, 'loaded-before');
    const args = [...preload('misreading'), ...preload('loaded-before'), COMPILED, '--version'];
    const env = { ...process.env, LOADED_BEFORE };
    expect(spawnSync(process.execPath, args, { encoding: 'utf8', env })).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(LOADED_BEFORE, 'utf8')).toBe('{"program":"main.js","loaded":[]}\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
