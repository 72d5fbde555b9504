import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUILD, buildOf } from '../../src/cluster/build.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'countersign-build-'));
});
afterEach(() => rmSync(home, { recursive: true }));

/** Makes a package of version 1.2.3 in the folder, and says what its build is. */
function buildIn(...path: string[]): string {
  const folder = join(home, ...path);
  mkdirSync(join(folder, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"version":"1.2.3"}');
  return buildOf(pathToFileURL(`${folder}/`));
}

function git(...args: string[]): string {
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.org'];
  return execFileSync('git', [...who, ...args], { cwd: home, encoding: 'utf8' }).trim();
}

function commitAll(): string {
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
  return git('rev-parse', '--short=7', 'HEAD');
}

describe('the build', () => {
  it('is version and commit in a clone, and tells changed files', () => {
    buildIn('packages', 'server');
    const commit = commitAll();
    expect(buildIn('packages', 'server')).toBe(`1.2.3+${commit}`);
    writeFileSync(join(home, 'packages/server/package.json'), '{"version": "1.2.3" }');
    expect(buildOf(pathToFileURL(join(home, 'packages/server/')))).toBe(`1.2.3+${commit}-dirty`);
  });

  it('is the version alone in a repository without a commit', () => {
    git('init', '--quiet');
    expect(buildIn('packages', 'server')).toBe('1.2.3');
  });

  it('is what a packed package says, in whatever repository it is installed', () => {
    buildIn('node_modules', '@countersign', 'server');
    commitAll();
    expect(buildIn('node_modules', '@countersign', 'server')).toBe('1.2.3');
    writeFileSync(join(home, 'node_modules/@countersign/server/dist/build.json'), '{"commit":"abcdef0"}');
    expect(buildIn('node_modules', '@countersign', 'server')).toBe('1.2.3+abcdef0');
  });

  it('of this server is a version of semver', () => {
    expect(BUILD).toMatch(/^\d+\.\d+\.\d+(?:\+[0-9a-f]{7,}(?:-dirty)?)?$/);
  });
});
