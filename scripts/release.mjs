import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled } from './install.mjs';
import { npm } from './npm.mjs';
import { cutRelease } from './release/changelog.mjs';
import { checkRelease, git } from './release/checks.mjs';
import { writeChecksums } from './release/checksums.mjs';
import { setVersions } from './release/versions.mjs';
import { root, say } from './root.mjs';

const USAGE =
  'npm run release -- <version> [--dry-run] [--no-image] [--local-base] [--platform linux-x64] [--cpu x64] [--out FOLDER]';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    'dry-run': { type: 'boolean', default: false },
    image: { type: 'boolean', default: true },
    'fresh-base': { type: 'boolean', default: true },
    'keep-image': { type: 'boolean', default: true },
    'local-base': { type: 'boolean', default: false },
    platform: { type: 'string', multiple: true },
    cpu: { type: 'string', multiple: true, default: [process.arch] },
    tag: { type: 'string', default: 'localhost/countersign' },
    out: { type: 'string' },
  },
});
const [version = ''] = positionals;

try {
  if (version === '') throw new Error(USAGE);
  checkRelease(root, version);
  if (values['dry-run']) tryRelease();
  else makeRelease(resolve(values.out ?? join(root, 'dist-release')));
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}

/** Does the same in a clone, which is deleted then. Nothing is left but what `--out` names. */
function tryRelease() {
  const work = mkdtempSync(join(tmpdir(), 'countersign-release-'));
  const clone = join(work, 'clone');
  const out = resolve(values.out ?? join(work, 'out'));
  try {
    git(root, ['clone', '--quiet', '--no-local', '--no-hardlinks', root, clone]);
    git(clone, ['config', 'user.name', 'Dry run']);
    git(clone, ['config', 'user.email', 'dry-run@example.org']);
    const options = [
      ...(values.image ? [] : ['--no-image']),
      ...(values['local-base'] ? ['--local-base'] : []),
      ...(values.platform ?? []).flatMap((one) => ['--platform', one]),
      ...values.cpu.flatMap((one) => ['--cpu', one]),
    ];
    const args = [
      version,
      '--out',
      out,
      '--tag',
      'localhost/countersign-dry-run',
      '--no-fresh-base',
      '--no-keep-image',
      ...options,
    ];
    run(process.execPath, [join(clone, 'scripts/release.mjs'), ...args], clone);
    say(
      `${git(clone, ['show', '--stat', '--format=%s', 'HEAD'])}\n\nThis was a dry run: nothing was committed or tagged here.`,
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function makeRelease(out) {
  mkdirSync(out, { recursive: true });
  // Its checksums are of all that is in it.
  if (readdirSync(out).length > 0) throw new Error(`${out} is not empty: name another folder by --out, or empty it`);
  ensureInstalled();
  const { text, section } = cutRelease(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version, today());
  writeFileSync(join(root, 'CHANGELOG.md'), text);
  setVersions(root, version);
  // Later releases are tested on a database that this one has made.
  say('keeping a database of this release ...');
  script('test', ['packages/server/test/upgrade'], { KEEP_RELEASE: version, TEST_TIER: 'all' });
  git(root, ['add', '--all']);
  git(root, ['commit', '--quiet', '--message', `release: make ${version}`]);
  git(root, [
    'tag',
    '--annotate',
    `v${version}`,
    '--cleanup=verbatim',
    '--message',
    `Countersign ${version}\n\n${section}`,
  ]);

  const platforms = values.platform?.flatMap((one) => ['--platform', one]) ?? ['--all-platforms'];
  run(process.execPath, [join(root, 'scripts/pack.mjs'), '--out', out, ...platforms], root);
  for (const cpu of values.image ? values.cpu : []) {
    const tag = `${values.tag}:${version}${values.cpu.length > 1 ? `-${cpu}` : ''}`;
    const how = [
      ...(values['fresh-base'] ? ['--fresh-base'] : []),
      ...(values['local-base'] ? ['--local-base'] : []),
      ...(values['keep-image'] ? [] : ['--discard']),
    ];
    run(
      process.execPath,
      [join(root, 'scripts/image.mjs'), '--out', out, '--cpu', cpu, '--tag', tag, '--save', ...how],
      root,
    );
  }
  const files = writeChecksums(out);
  say(`${files.length} files and SHA256SUMS in ${out}:\n${files.map((path) => `  ${path}`).join('\n')}`);
  say(`next: git push --follow-tags; npm publish each .tgz, those in postgres/ first; push the image`);
}

/** Runs a script of the repository by npm. */
function script(name, args, env) {
  const { status } = npm(['run', name, '--', ...args], { env: { ...process.env, ...env }, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`npm run ${name} failed`);
}

function run(program, args, cwd) {
  const { status } = spawnSync(program, args, { cwd, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`${args[0]} failed`);
}

/** The date in UTC. */
function today() {
  return new Date().toISOString().slice(0, 10);
}
