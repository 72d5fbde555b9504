import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extract, npmPack } from '../pack/tarball.mjs';
import { say } from '../root.mjs';
import { can, run } from './run.mjs';

const SUITE = 'trixie';
const NODE_MAJOR = '24';

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
 *   release of Node.js, or the beginning of one
 * @returns {{BASE: string, NODE: string}} arguments of the build
 */
export function makeBase({ cpu, isFresh, node = NODE_MAJOR }) {
  const architecture = cpu === 'x64' ? 'amd64' : 'arm64';
  const BASE = `localhost/countersign-base:${SUITE}-${architecture}`;
  const NODE = `localhost/countersign-node:${node}-${architecture}`;
  if (isFresh || !isThere(BASE)) commit(BASE, architecture, (folder) => installDebian(folder, architecture));
  if (isFresh || !isThere(NODE)) commit(NODE, architecture, (folder) => installNode(folder, cpu, node, isFresh));
  return { BASE, NODE };
}

function isThere(image) {
  return can('buildah', ['inspect', '--type', 'image', image]);
}

/** Makes an image of what `fill` writes into an empty folder. */
function commit(image, architecture, fill) {
  say(`making ${image} ...`);
  const container = run('buildah', ['from', '--arch', architecture, 'scratch'], { quiet: true });
  try {
    fill(run('buildah', ['mount', container], { quiet: true }));
    run('buildah', ['commit', '--quiet', container, image], { quiet: true });
  } finally {
    run('buildah', ['rm', container], { quiet: true });
  }
}

function installDebian(folder, architecture) {
  const options = SLIM.flatMap((one) => ['--dpkgopt', one]);
  // The folder is a copy that nobody waits for: no write must be on the disk before the next.
  const quick = ['--dpkgopt', 'force-unsafe-io', '--aptopt', 'Acquire::Languages "none"'];
  const what = ['--variant=minbase', '--include=tini', `--architectures=${architecture}`];
  run('mmdebstrap', ['--quiet', ...what, ...options, ...quick, SUITE, folder], { quiet: true });
}

function installNode(folder, cpu, release, isFresh) {
  const work = mkdtempSync(join(tmpdir(), 'countersign-node-'));
  try {
    const [packed] = npmPack([`node-linux-${cpu}@${release}`], work, isFresh ? [] : ['--prefer-offline']);
    say(`Node.js ${packed.version}`);
    const program = join(extract(packed.path, work), 'bin/node');
    run('install', ['-D', '--mode=0755', program, join(folder, 'usr/local/bin/node')]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
