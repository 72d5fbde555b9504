import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled } from '../install.mjs';
import { npm } from '../npm.mjs';
import { root, say } from '../root.mjs';
import { cutRelease } from './changelog.mjs';
import { git } from './checks.mjs';
import { writeChecksums } from './checksums.mjs';
import { setVersions } from './versions.mjs';

/**
 * Makes a release of this folder, a clone that `scripts/release.mjs` has made: commits and tags it, and then packs that very commit.
 * With `--trial` it takes bases that earlier builds have made, and leaves no image behind.
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
    trial: { type: 'boolean', default: false },
  },
});
const [version] = positionals;
const { out, trial } = values;

try {
  if (trial) {
    git(root, ['config', 'user.name', 'Dry run']);
    git(root, ['config', 'user.email', 'dry-run@example.org']);
  }
  ensureInstalled();
  commitRelease();
  packRelease();
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}

function commitRelease() {
  const file = join(root, 'CHANGELOG.md');
  const { text, section } = cutRelease(readFileSync(file, 'utf8'), version, today());
  writeFileSync(file, text);
  setVersions(root, version);
  say('keeping a database of this release ...');
  keepDatabase();
  git(root, ['add', '--all']);
  git(root, ['commit', '--quiet', '--message', `release: make ${version}`]);
  const about = `Countersign ${version}\n\n${section}`;
  git(root, ['tag', '--annotate', `v${version}`, '--cleanup=verbatim', '--message', about]);
}

/** Later releases are tested on a database that this one has made. */
function keepDatabase() {
  const env = { ...process.env, KEEP_RELEASE: version, TEST_TIER: 'all' };
  const args = ['packages/server/test/upgrade/upgrade.deep.test.ts', '-t', `of release ${version}`];
  const { status } = npm(['test', '--', ...args], { env, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('the database of this release cannot be kept');
}

function packRelease() {
  mkdirSync(out, { recursive: true });
  const platforms = values.platform?.flatMap((one) => ['--platform', one]) ?? ['--all-platforms'];
  script('pack.mjs', ['--out', out, ...platforms]);
  const image = trial ? 'localhost/countersign-dry-run' : 'localhost/countersign';
  for (const cpu of values.image ? values.cpu : []) {
    const tag = `${image}:${version}${values.cpu.length > 1 ? `-${cpu}` : ''}`;
    const how = [...(values['local-base'] ? ['--local-base'] : []), trial ? '--discard' : '--fresh-base'];
    script('image.mjs', ['--packages', out, '--out', out, '--cpu', cpu, '--tag', tag, '--save', ...how]);
  }
  const files = writeChecksums(out);
  say(`${files.length} files and SHA256SUMS in ${out}:\n${files.map((path) => `  ${path}`).join('\n')}`);
}

function script(name, args) {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts', name), ...args], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error(`scripts/${name} failed`);
}

/** The date in UTC. */
function today() {
  return new Date().toISOString().slice(0, 10);
}
