import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../support/documents.js';

/** Where `.ci/tools` puts programs. */
const FOLDER = join(root, 'node_modules/.cache/tools');

/** The path of a program: one that is installed, or that `.ci/tools` has put there; undefined without it. */
export function findTool(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), FOLDER];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/**
 * A program that tests need. Where `.ci/run` could have it, it is required; elsewhere the tests are left out, and say so.
 *
 * @param required the variable by which it is required
 */
export function requireTool(name: string, required: string): string | undefined {
  const path = findTool(name);
  if (path === undefined) console.warn(`Tests are left out: there is no ${name} (.ci/tools brings it)`);
  it.runIf(process.env[required] === '1')(`${name} is there, as ${required} asks`, () => {
    expect(path).toBeDefined();
  });
  return path;
}

/** Runs a program to its end. */
export function runTool(path: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(path, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  return { status, out: stdout, err: stderr };
}
