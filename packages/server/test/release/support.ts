import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';

/** Runs npm in a folder, as a user does. The settings of a surrounding `npm test` stay out. */
export function npm(args: readonly string[], cwd: string): { stdout: string; stderr: string } {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, env, encoding: 'utf8', maxBuffer: 2 ** 28 });
  expect(status, stderr).toBe(0);
  return { stdout, stderr };
}
