import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { root } from '../support/documents.js';
import { whyNoImage } from './container.js';
import { testImage } from './image.js';
import { testPackages } from './packages.js';

const run = promisify(execFile);

/** A release after every other one, so that the test holds whatever the version is. */
const VERSION = '999.0.0';

const missing = whyNoImage();
if (missing !== undefined) console.warn(`The image is not tested: ${missing}`);
const withImage = missing === undefined;

const home = mkdtempSync(join(tmpdir(), 'countersign-release-test-'));
const clone = join(home, 'repository');
const out = join(home, 'out');

const git = async (...args: string[]) =>
  (
    await run('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.org', ...args], { cwd: clone })
  ).stdout.trim();

beforeAll(async () => {
  const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    maxBuffer: 2 ** 26,
  });
  for (const path of listed.stdout.split('\0').filter(Boolean)) {
    // One that was deleted is still listed.
    await cp(join(root, path), join(clone, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  await git('init', '--quiet', '--initial-branch=main');
  const changelog = await readFile(join(clone, 'CHANGELOG.md'), 'utf8');
  await writeFile(
    join(clone, 'CHANGELOG.md'),
    changelog.replace('## [Unreleased]\n', '## [Unreleased]\n\n- A change.\n'),
  );
  await git('remote', 'add', 'origin', 'git@forge.example:acme/ledger.git');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'all: begin');
}, 120_000);

afterAll(() => rm(home, { recursive: true, force: true }));

it.runIf(process.env.REQUIRE_IMAGE === '1')('its image can be made here, as REQUIRE_IMAGE asks', () => {
  expect(missing).toBeUndefined();
});

it('a dry run makes a whole release, and leaves the repository as it was', { timeout: 900_000 }, async () => {
  const before = await git('rev-parse', 'HEAD');
  const platform = `${process.platform}-${process.arch}`;
  const image = withImage ? ['--local-base'] : ['--no-image'];
  // What this run has installed, compiled and made of the documentation is the same.
  const args = [VERSION, '--dry-run', '--reuse', root, '--out', out, '--platform', platform, ...image];
  // As from a terminal, and not from within a run of tests; but they have a PostgreSQL already.
  const outer = Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|TEST_|NODE_)/i.test(name));
  const env = { ...Object.fromEntries(outer), TEST_DATABASE_URL: inject('databaseUrl') };
  const { stderr } = await run(process.execPath, [join(clone, 'scripts/release.mjs'), ...args], {
    cwd: clone,
    env,
    maxBuffer: 2 ** 26,
  });
  const [, commit = ''] = new RegExp(`([0-9a-f]{40}) release: make ${VERSION}`).exec(stderr) ?? [];
  expect(stderr).toContain(`packages/server/test/upgrade/releases/${VERSION}.sql`);
  expect(stderr).toContain('This was a dry run');
  // A new version alone asks for nothing that is not installed.
  expect(stderr).not.toContain('installing dependencies');

  const sums = await readFile(join(out, 'SHA256SUMS'), 'utf8');
  const files = sums
    .trim()
    .split('\n')
    .map((line) => line.slice(66));
  const packages = [
    '',
    '-cli',
    '-client',
    '-console',
    '-embedded-postgres',
    '-protocol',
    '-safe-json-schema',
    '-server',
    '-verifier',
  ];
  expect(files.sort()).toEqual(
    [
      ...packages.map((name) => `countersign${name}-${VERSION}.tgz`),
      `postgres/countersign-postgres-${platform}-${VERSION}.tgz`,
      ...(withImage ? [`countersign-${VERSION}-${platform}.cdx.json`, `countersign-${VERSION}-${platform}.tar`] : []),
    ].sort(),
  );
  await run('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: out });
  const { stdout: manifest } = await run('tar', [
    '-xzOf',
    join(out, `countersign-${VERSION}.tgz`),
    'package/package.json',
  ]);
  expect(manifest).toContain(`"@countersign/server": "${VERSION}"`);
  expect(manifest).toContain('"url": "git+https://forge.example/acme/ledger.git"');
  const { stdout: build } = await run('tar', [
    '-xzOf',
    join(out, `countersign-server-${VERSION}.tgz`),
    'package/dist/build.json',
  ]);
  // Of the commit that is tagged, in which nothing is left to commit.
  expect(build).toMatch(/^\{"commit":"[0-9a-f]{7,}"\}\n$/);
  expect(commit.startsWith(build.slice(11, -3))).toBe(true);

  if (withImage) {
    const { stdout: images } = await run('buildah', ['images', '--format', '{{.Name}}']);
    expect(images).not.toContain('countersign-dry-run');
  }
  expect(await git('rev-parse', 'HEAD')).toBe(before);
  expect([await git('status', '--porcelain'), await git('tag', '--list')]).toEqual(['', '']);
});

it('is refused while changes are not committed', async () => {
  const file = join(clone, 'docs/new.md');
  await writeFile(file, '# New\n');
  const refused = run(process.execPath, [join(clone, 'scripts/release.mjs'), VERSION], { cwd: clone });
  await expect(refused).rejects.toThrow('there are changes that are not committed');
  await rm(file);
});

// Each waits for most of its time.
describe.concurrent('what the release has made', () => {
  describe('packages', () => testPackages(out, VERSION));
  describe.runIf(withImage)('an image', () => testImage(out, VERSION));
});
