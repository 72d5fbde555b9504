import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readJsonFile } from '../json.mjs';

/**
 * Sees that a release can be made of the repository as it is.
 *
 * @throws Error that says what is in the way
 */
export function checkRelease(root, version) {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`a version is three numbers, such as 0.3.0, not ${version}`);
  const { version: before } = readJsonFile(join(root, 'package.json'));
  if (compare(version, before) < 0) throw new Error(`the version is ${before} already, and ${version} is older`);
  if (git(root, ['tag', '--list', `v${version}`]) !== '') throw new Error(`there is a tag v${version} already`);
  const changed = git(root, ['status', '--porcelain']);
  if (changed !== '') throw new Error(`there are changes that are not committed:\n${changed}`);
}

/** Runs git. @returns its standard output, trimmed @throws Error where it fails */
export function git(cwd, args) {
  const { status, stdout, stderr, error } = spawnSync('git', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args[0]}: ${error?.message ?? stderr.trim()}`);
  return stdout.trim();
}

function compare(one, other) {
  const [left, right] = [one, other].map((version) => version.split('.').map(Number));
  const at = left.findIndex((number, index) => number !== right[index]);
  return at < 0 ? 0 : left[at] - right[at];
}
