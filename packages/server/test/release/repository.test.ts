import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../support/documents.js';

const SCRIPTS = ['release.mjs', 'release/checks.mjs', 'release/repository.mjs', 'json.mjs', 'root.mjs'];

/** Stands in for what compiles and packs: it writes a file, and then commits and tags, or fails. */
const MAKE = `
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
const [version, , out] = process.argv.slice(2);
const git = (...args) => execFileSync('git', args, { stdio: ['ignore', 'pipe', 2] });
mkdirSync(out, { recursive: true });
writeFileSync(out + '/made.tgz', git('remote', 'get-url', 'origin'));
writeFileSync('VERSION', version);
git('add', '--all');
git('commit', '--quiet', '--message', 'release: make ' + version);
git('tag', '--annotate', '--message', version, 'v' + version);
if (existsSync('fails')) throw new Error('the image cannot be built');
if (process.env.MEANWHILE) git('-C', process.env.MEANWHILE, 'commit', '--quiet', '--allow-empty', '--message', 'goes on');
`;

let repository: string;

function write(path: string, text: string): void {
  mkdirSync(dirname(join(repository, path)), { recursive: true });
  writeFileSync(join(repository, path), text);
}

const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim();
const commit = (message: string) => {
  git('add', '--all');
  git('commit', '--quiet', '--message', message);
  return git('rev-parse', 'HEAD');
};
const release = (args: string[] = [], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, [join(repository, 'scripts/release.mjs'), '1.2.3', ...args], {
    cwd: repository,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
const files = () =>
  existsSync(join(repository, 'dist-release')) ? readdirSync(join(repository, 'dist-release')) : undefined;

beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), 'countersign-repository-'));
  for (const path of SCRIPTS) cpSync(join(root, 'scripts', path), join(repository, 'scripts', path));
  write('scripts/release/make.mjs', MAKE);
  write('package.json', '{"version":"1.2.2"}');
  write('.gitignore', '/dist-release/\n');
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Who releases');
  git('config', 'user.email', 'who@example.org');
  git('remote', 'add', 'origin', 'https://forge.example/acme/ledger.git');
  commit('all: begin');
});
afterEach(() => rmSync(repository, { recursive: true }));

describe('the repository of a release', () => {
  it('gets commit and tag of the clone that everything was made in', () => {
    const before = git('rev-parse', 'HEAD');
    const { status, stderr } = release();
    expect([status, stderr]).toEqual([0, expect.stringContaining('next: git push --follow-tags')]);
    expect(git('rev-parse', 'HEAD^')).toBe(before);
    expect(git('rev-parse', 'HEAD')).toBe(git('rev-parse', 'v1.2.3^{commit}'));
    expect(git('branch', '--show-current')).toBe('main');
    expect(git('show', '--no-patch', '--format=%an %ae')).toBe('Who releases who@example.org');
    expect(git('cat-file', '-t', 'v1.2.3')).toBe('tag');
    expect([git('show', 'HEAD:VERSION'), readFileSync(join(repository, 'VERSION'), 'utf8')]).toEqual([
      '1.2.3',
      '1.2.3',
    ]);
    expect(git('status', '--porcelain')).toBe('');
    // Packages link to where the repository is from, and not to the folder that was cloned.
    expect(readFileSync(join(repository, 'dist-release/made.tgz'), 'utf8')).toBe(
      'https://forge.example/acme/ledger.git\n',
    );
  });

  it.each([
    ['fails when packages are made already', [], 'fails', 'the image cannot be built'],
    ['is only tried', ['--dry-run'], 'passes', 'This was a dry run'],
  ])('is left as it was when the release %s', (_, args, file, why) => {
    write(file, '');
    const before = commit('all: go on');
    const { stderr } = release(args);
    expect(stderr).toContain(why);
    expect([git('rev-parse', 'HEAD'), git('tag', '--list'), git('status', '--porcelain')]).toEqual([before, '', '']);
    expect(files()).toBeUndefined();
  });

  it('is left as it is when somebody has committed meanwhile', () => {
    const { status, stderr } = release([], { MEANWHILE: repository });
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/the release was made of \w{40}, and \w{40} is checked/),
    ]);
    expect([git('show', '--no-patch', '--format=%s'), git('tag', '--list')]).toEqual(['goes on', '']);
    expect(files()).toBeUndefined();
  });

  it('gets no release that was made of what another checkout has', () => {
    const before = git('rev-parse', 'HEAD');
    const { status, stderr } = release(['--reuse', root]);
    expect([status, stderr]).toEqual([1, expect.stringContaining('--reuse goes with --dry-run')]);
    expect([git('rev-parse', 'HEAD'), git('tag', '--list'), files()]).toEqual([before, '', undefined]);
    expect(release(['--dry-run', '--reuse', root]).status).toBe(0);
  });

  it('keeps the files of another release', () => {
    write('dist-release/made.tgz', 'of another one');
    const { status, stderr } = release();
    expect([status, stderr]).toEqual([1, expect.stringContaining('dist-release is not empty')]);
    expect(readFileSync(join(repository, 'dist-release/made.tgz'), 'utf8')).toBe('of another one');
    expect(git('tag', '--list')).toBe('');
  });
});
