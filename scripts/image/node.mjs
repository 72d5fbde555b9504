import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile } from '../json.mjs';
import { newest } from '../node-release.mjs';
import { extract, npmPack, verifyTarball } from '../pack/tarball.mjs';
import { root } from '../root.mjs';

/** Releases of Node.js that an image can be made with here, and the digest that npm states of each package. */
const RELEASES = 'scripts/image/node.json';

/** Libraries that the program may ask for and a minimal Debian lacks, with the package of Debian that has each. */
const LIBRARIES = { 'libatomic.so.1': 'libatomic1' };

/**
 * The release of Node.js that is meant, and the digest of its package.
 *
 * @param {string} wanted a release, or the beginning of one: the newest known one is taken
 * @param {'x64' | 'arm64'} cpu
 * @returns {{release: string, name: string, integrity: string}} `name` is that of the package on npm
 * @throws Error where no digest of it is kept
 */
export function pinnedNode(wanted, cpu) {
  const known = readJsonFile(join(root, RELEASES));
  const release = newest(Object.keys(known).filter((one) => one === wanted || one.startsWith(`${wanted}.`)));
  const name = `node-linux-${cpu}`;
  const integrity = known[release]?.[cpu];
  if (integrity !== undefined) return { release, name, integrity };
  const has = Object.keys(known).join(', ');
  throw new Error(
    `${RELEASES} has no digest of Node.js ${wanted} for ${cpu}, only of ${has}: add the one that \`npm view ${name}@${wanted} dist.integrity\` states`,
  );
}

/**
 * Takes the program of Node.js from its package on npm, whose digest must be the one that is kept.
 *
 * @param {{release: string, name: string, integrity: string}} pinned
 * @param {string} work a folder for temporary files
 * @returns {string} path of the program
 */
export function fetchNode({ release, name, integrity }, work) {
  const [packed] = npmPack([`${name}@${release}`], work, ['--prefer-offline']);
  verifyTarball(packed.path, integrity, `${name}@${release}`);
  return join(extract(packed.path, work), 'bin/node');
}

/** Packages of Debian that a program needs besides those of a minimal system. @param {string} program its path */
export function packagesFor(program) {
  const bytes = readFileSync(program);
  // The names of the libraries that it loads stand in it, each with a zero behind it.
  return Object.keys(LIBRARIES)
    .filter((library) => bytes.includes(`${library}\0`))
    .map((library) => LIBRARIES[library]);
}
