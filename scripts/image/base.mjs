import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say } from '../root.mjs';
import { fetchNode, packagesFor, pinnedNode } from './node.mjs';
import { can, run } from './run.mjs';

const SUITE = 'trixie';
const NODE_MAJOR = '24';

/** Label of the image of Node.js: the packages of Debian that it needs. */
const NEEDS = 'countersign.needs';

/** As the slim images of Debian have it. */
const SLIM = [
  'path-exclude=/usr/share/doc/*',
  'path-include=/usr/share/doc/*/copyright',
  'path-exclude=/usr/share/man/*',
  'path-exclude=/usr/share/info/*',
  'path-exclude=/usr/share/locale/*',
];

/**
 * Makes the two images that the Containerfile begins with, without a registry of images: Debian from its packages, and the
 * program of Node.js from its package on npm. Buildah, mmdebstrap and the rights of root are needed.
 *
 * @param {{cpu: 'x64' | 'arm64', isFresh: boolean, node?: string}} given `isFresh` makes what is there anew; `node` is a
 *   release of Node.js whose digest is kept, or the beginning of one
 * @returns {{BASE: string, NODE: string}} arguments of the build
 */
export function makeBase({ cpu, isFresh, node = NODE_MAJOR }) {
  const architecture = cpu === 'x64' ? 'amd64' : 'arm64';
  const pinned = pinnedNode(node, cpu);
  const NODE = `localhost/countersign-node:${pinned.release}-${architecture}-${shortOf(pinned.integrity)}`;
  if (isFresh || !isThere(NODE)) makeImage(NODE, architecture, (folder) => installNode(folder, pinned));
  const needs = labelOf(NODE).split(' ').filter(Boolean);
  const BASE = `localhost/countersign-base:${[SUITE, architecture, ...needs].join('-')}`;
  if (isFresh || !isThere(BASE)) makeImage(BASE, architecture, (folder) => installDebian(folder, architecture, needs));
  return { BASE, NODE };
}

/** Of another package than before, there is no image yet. */
function shortOf(integrity) {
  return Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex').slice(0, 12);
}

function isThere(image) {
  return can('buildah', ['inspect', '--type', 'image', image]);
}

function labelOf(image) {
  const format = `{{index .OCIv1.Config.Labels "${NEEDS}"}}`;
  return run('buildah', ['inspect', '--type', 'image', '--format', format, image], { quiet: true });
}

/** Makes an image of what `fill` writes into an empty folder. `fill` returns the packages of Debian that this needs, if any. */
function makeImage(image, architecture, fill) {
  say(`making ${image} ...`);
  const container = run('buildah', ['from', '--arch', architecture, 'scratch'], { quiet: true });
  try {
    const needs = fill(run('buildah', ['mount', container], { quiet: true }));
    if (needs !== undefined)
      run('buildah', ['config', '--label', `${NEEDS}=${needs.join(' ')}`, container], { quiet: true });
    run('buildah', ['commit', '--quiet', container, image], { quiet: true });
  } finally {
    run('buildah', ['rm', container], { quiet: true });
  }
}

function installDebian(folder, architecture, needs) {
  const options = SLIM.flatMap((one) => ['--dpkgopt', one]);
  // The folder is a copy that nobody waits for: no write must be on the disk before the next.
  const quick = ['--dpkgopt', 'force-unsafe-io', '--aptopt', 'Acquire::Languages "none"'];
  const include = ['tini', ...needs].join(',');
  const what = ['--variant=minbase', `--include=${include}`, `--architectures=${architecture}`];
  run('mmdebstrap', ['--quiet', ...what, ...options, ...quick, SUITE, folder], { quiet: true });
}

function installNode(folder, pinned) {
  const work = mkdtempSync(join(tmpdir(), 'countersign-node-'));
  try {
    const program = fetchNode(pinned, work);
    run('install', ['-D', '--mode=0755', program, join(folder, 'usr/local/bin/node')]);
    return packagesFor(program);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
