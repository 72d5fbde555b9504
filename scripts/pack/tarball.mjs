import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOwnJson } from '../json.mjs';
import { npm } from '../npm.mjs';

/**
 * Packs folders, or packages of the registry, into tarballs. No script is run.
 *
 * @param {readonly string[]} specs paths of folders, or `name@version`
 * @param {string} to the folder for the tarballs
 * @returns {{name: string, path: string, integrity: string, size: number, unpackedSize: number}[]} in the order of `specs`
 */
export function npmPack(specs, to, options = []) {
  mkdirSync(to, { recursive: true });
  const args = [
    'pack',
    ...specs,
    '--pack-destination',
    to,
    '--json',
    '--ignore-scripts',
    '--loglevel=error',
    ...options,
  ];
  const { status, stdout, stderr } = npm(args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`npm pack ${specs.join(' ')}: ${stderr}`);
  return readOwnJson(stdout).map(({ filename, ...packed }) => ({ ...packed, path: join(to, filename) }));
}

/** Unpacks a tarball of npm into a folder. @returns {string} the folder of the package within it */
export function extract(tarball, folder) {
  mkdirSync(folder, { recursive: true });
  const { status, stderr } = spawnSync('tar', ['-xzf', tarball, '-C', folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`tar: ${stderr}`);
  return join(folder, 'package');
}

/**
 * Compares a tarball with the digest that is kept of it.
 *
 * @param {string} tarball its path
 * @param {string} integrity `sha512-` and the digest in base64, as in package-lock.json
 * @param {string} name what it is called where they differ
 * @throws Error where it is another one
 */
export function verifyTarball(tarball, integrity, name) {
  const found = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  if (found !== integrity)
    throw new Error(`${name} is not what is kept of it: its digest is ${found}, not ${integrity}`);
}
