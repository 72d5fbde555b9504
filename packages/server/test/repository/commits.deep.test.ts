import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../../../scripts/commits.mjs', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-commits-'));
  git('init', '--quiet', '--initial-branch=main');
});
afterEach(() => rmSync(folder, { recursive: true }));

function git(...args: string[]): void {
  const identity = ['-c', 'user.name=Nobody', '-c', 'user.email=nobody@example.org', '-c', 'commit.gpgsign=false'];
  const { status, stderr } = spawnSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
}

const commit = (subject: string) => git('commit', '--quiet', '--allow-empty', `--message=${subject}`);

/** What is said of the commits of the repository; nothing when all is well. */
function check(...args: string[]): string {
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: folder, encoding: 'utf8' });
  expect(status, stderr).toBe(stderr === '' ? 0 : 1);
  return stderr;
}

describe('the subjects of commits', () => {
  it.each([
    'access: refuse renames across domains',
    'embedded-postgres: process one file at a time',
    `lists: ${'a'.repeat(65)}`,
  ])('may be: %s', (subject) => {
    expect(subject.length).toBeLessThanOrEqual(72);
    commit(subject);
    expect(check()).toBe('');
  });

  it.each([
    ['Refuse renames', 'begin with an area'],
    ['access refuse renames', 'begin with an area'],
    ['Access: refuse renames', 'begin with an area'],
    ['access: ', 'begin with an area'],
    ['access: Refuse renames', 'capital'],
    ['access: refuse renames.', 'full stop'],
    ['access: refused renames', 'no imperative'],
    ['access: refusing renames', 'no imperative'],
    ['access: refuses renames', 'no imperative'],
    [`lists: ${'a'.repeat(66)}`, '73 characters'],
  ])('may not be: %s', (subject, fault) => {
    commit(subject);
    expect(check()).toContain(fault);
  });

  it('are checked since main, or for a range', () => {
    commit('Whatever it was');
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    expect(check()).toBe('');
    commit('And again');
    expect(check()).toContain('"And again"');
    expect(check()).not.toContain('Whatever');
    expect(check('HEAD')).toContain('Whatever');
  });

  it('are checked for the last twenty where main is not known, merges excepted', () => {
    commit('Whatever it was');
    for (let count = 0; count < 19; count += 1) commit(`lists: add number ${count}`);
    expect(check()).toContain('Whatever');
    git('checkout', '--quiet', '-b', 'aside', 'HEAD~1');
    commit('lists: add another');
    git('merge', '--quiet', '--no-ff', '--message=Merge main', 'main');
    expect(check()).toBe('');
  });
});
