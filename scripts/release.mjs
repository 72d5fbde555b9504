import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkRelease, git } from './release/checks.mjs';
import { cloneOf, takeRelease } from './release/repository.mjs';
import { root, say } from './root.mjs';

const USAGE =
  'npm run release -- <version> [--dry-run] [--no-image] [--local-base] [--platform linux-x64] [--cpu x64] [--out FOLDER] [--reuse CHECKOUT]';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    'dry-run': { type: 'boolean', default: false },
    image: { type: 'boolean', default: true },
    'local-base': { type: 'boolean', default: false },
    platform: { type: 'string', multiple: true },
    cpu: { type: 'string', multiple: true, default: [process.arch] },
    out: { type: 'string' },
    reuse: { type: 'string' },
  },
});
const [version = ''] = positionals;

// Ctrl-C ends what makes the release; what is left of it is then removed here.
process.on('SIGINT', () => {});
try {
  if (version === '') throw new Error(USAGE);
  if (values.reuse !== undefined && !values['dry-run'])
    throw new Error('a release is made of its own commit alone: --reuse goes with --dry-run');
  checkRelease(root, version);
  const work = mkdtempSync(join(tmpdir(), 'countersign-release-'));
  try {
    const byDefault = values['dry-run'] ? join(work, 'out') : join(root, 'dist-release');
    makeRelease(join(work, 'clone'), resolve(values.out ?? byDefault));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}

/** Makes the release in a clone. The repository gets its commit and its tag last, when nothing is left that can fail. */
function makeRelease(clone, out) {
  const isThere = existsSync(out);
  // Its checksums are of all that is in it.
  if (isThere && readdirSync(out).length > 0)
    throw new Error(`${out} is not empty: name another folder by --out, or empty it`);
  const before = git(root, ['rev-parse', 'HEAD']);
  cloneOf(root, clone);
  try {
    const { status } = spawnSync(process.execPath, [join(clone, 'scripts/release/make.mjs'), ...argumentsOf(out)], {
      cwd: clone,
      stdio: ['ignore', 2, 2],
    });
    if (status !== 0) throw new Error('no release was made: the repository is as it was');
    const made = git(clone, ['show', '--stat', '--format=%H %s', `v${version}^{commit}`]);
    if (values['dry-run']) return say(`${made}\n\nThis was a dry run: nothing was committed or tagged here.`);
    takeRelease(root, { clone, version, before });
    say(`${made}\n\nnext: git push --follow-tags; npm publish each .tgz, those in postgres/ first; push the image`);
  } catch (error) {
    for (const name of existsSync(out) ? readdirSync(out) : []) rmSync(join(out, name), { recursive: true });
    if (!isThere) rmSync(out, { recursive: true, force: true });
    throw error;
  }
}

function argumentsOf(out) {
  return [
    version,
    '--out',
    out,
    ...(values.image ? [] : ['--no-image']),
    ...(values['local-base'] ? ['--local-base'] : []),
    ...(values.platform ?? []).flatMap((one) => ['--platform', one]),
    ...values.cpu.flatMap((one) => ['--cpu', one]),
    ...(values['dry-run'] ? ['--trial'] : []),
    ...(values.reuse === undefined ? [] : ['--reuse', resolve(values.reuse)]),
  ];
}
