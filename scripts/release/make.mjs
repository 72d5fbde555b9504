import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { discard, findEngine } from '../image/engine.mjs';
import { installMissing } from '../install.mjs';
import { root, say } from '../root.mjs';
import { takeSite } from '../site.mjs';
import { cutRelease } from './changelog.mjs';
import { git } from './checks.mjs';
import { writeChecksums } from './checksums.mjs';
import { reuseBuild } from './reuse.mjs';
import { setVersions } from './versions.mjs';

/**
 * Makes a release of this folder, a clone that `scripts/release.mjs` has made: commits and tags it, and then packs that very commit.
 * What does not depend on the commit is made meanwhile: the packages of PostgreSQL, and the base of an image where that is made
 * here. With `--trial` it takes bases that earlier builds have made, and leaves no image behind; with `--reuse` as well, it begins
 * with what another checkout has installed and compiled, and takes the documentation of that one.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    image: { type: 'boolean', default: true },
    'local-base': { type: 'boolean', default: false },
    platform: { type: 'string', multiple: true },
    cpu: { type: 'string', multiple: true },
    out: { type: 'string' },
    reuse: { type: 'string' },
    trial: { type: 'boolean', default: false },
  },
});
const [version] = positionals;
const { out, trial, reuse } = values;
/** Tags of the images that are made, and left in the store of the engine. */
const images = [];

try {
  if (reuse !== undefined && !trial) throw new Error('--reuse goes with --trial');
  if (trial) {
    git(root, ['config', 'user.name', 'Dry run']);
    git(root, ['config', 'user.email', 'dry-run@example.org']);
  }
  const section = setRelease();
  if (reuse !== undefined) reuseBuild(reuse);
  const platforms = values.platform?.flatMap((one) => ['--platform', one]) ?? ['--all-platforms'];
  const fresh = trial ? [] : ['--fresh-base'];
  const isBaseMadeHere = values.image && values['local-base'];
  const made = await Promise.allSettled([
    script('pack.mjs', ['--only', 'postgres', '--out', out, ...platforms]),
    ...(isBaseMadeHere ? values.cpu : []).map((cpu) =>
      script('image.mjs', ['--base-only', '--local-base', '--cpu', cpu, ...fresh]),
    ),
    ...(reuse === undefined ? [] : [script('site.mjs', [], {}, reuse)]),
    commitRelease(section),
  ]);
  for (const { reason } of made) if (reason !== undefined) throw reason;
  if (reuse !== undefined) takeSite(reuse);
  await script('pack.mjs', ['--only', 'packages', '--out', out]);
  for (const cpu of values.image ? values.cpu : []) await makeImage(cpu, isBaseMadeHere ? ['--local-base'] : fresh);
  const files = writeChecksums(out);
  say(`${files.length} files and SHA256SUMS in ${out}:\n${files.map((path) => `  ${path}`).join('\n')}`);
} catch (error) {
  say(error.message);
  process.exitCode = 1;
  discardImages();
}

/** @returns what the changelog says of the release */
function setRelease() {
  const file = join(root, 'CHANGELOG.md');
  const { text, section } = cutRelease(readFileSync(file, 'utf8'), version, today());
  writeFileSync(file, text);
  setVersions(root, version);
  return section;
}

async function commitRelease(section) {
  // The process must not end before its children.
  installMissing();
  say('keeping a database of this release ...');
  await keepDatabase();
  git(root, ['add', '--all']);
  git(root, ['commit', '--quiet', '--message', `release: make ${version}`]);
  const about = `Countersign ${version}\n\n${section}`;
  git(root, ['tag', '--annotate', `v${version}`, '--cleanup=verbatim', '--message', about]);
}

/** Later releases are tested on a database that this one has made. */
function keepDatabase() {
  const env = { KEEP_RELEASE: version, TEST_TIER: 'all' };
  return script('test.mjs', ['packages/server/test/upgrade/upgrade.deep.test.ts', '-t', `of release ${version}`], env);
}

async function makeImage(cpu, how) {
  const name = trial ? 'localhost/countersign-dry-run' : 'localhost/countersign';
  const tag = `${name}:${version}${values.cpu.length > 1 ? `-${cpu}` : ''}`;
  const end = trial ? ['--discard'] : [];
  await script('image.mjs', ['--packages', out, '--out', out, '--cpu', cpu, '--tag', tag, '--save', ...how, ...end]);
  if (!trial) images.push(tag);
}

/** No image stays of a release that failed. */
function discardImages() {
  for (const tag of images) {
    try {
      discard(findEngine(), tag);
    } catch (error) {
      say(`the image ${tag} is left: ${error.message}`);
    }
  }
}

/** Runs a script of the repository to its end, or of another checkout. */
async function script(name, args, env = {}, checkout = root) {
  const child = spawn(process.execPath, [join(checkout, 'scripts', name), ...args], {
    cwd: checkout,
    env: { ...process.env, ...env },
    stdio: ['ignore', 2, 2],
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`scripts/${name} failed`);
}

/** The date in UTC. */
function today() {
  return new Date().toISOString().slice(0, 10);
}
