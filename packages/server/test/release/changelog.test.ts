import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { read, root } from '../support/documents.js';

const { cutRelease } = await import(join(root, 'scripts/release/changelog.mjs'));

const HEAD = '# Changelog\n\nAll changes.\n\n';
const OLD = '## [0.1.0]\n\n- The first.\n';

describe('the section of a release', () => {
  it('is what was unreleased', () => {
    const { text, section } = cutRelease(
      `${HEAD}## [Unreleased]\n\n### Added\n\n- More.\n\n${OLD}`,
      '0.2.0',
      '2026-12-01',
    );
    expect(section).toBe('### Added\n\n- More.');
    expect(text).toBe(`${HEAD}## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- More.\n\n${OLD}`);
  });

  it('is dated where it is there', () => {
    const { text } = cutRelease(`${HEAD}## [Unreleased]\n\n## [0.2.0]\n\n- More.\n\n${OLD}`, '0.2.0', '2026-12-01');
    expect(text).toBe(`${HEAD}## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n- More.\n\n${OLD}`);
  });

  it.each([
    ['has nothing to say', `## [Unreleased]\n\n${OLD}`, 'has nothing under [Unreleased]'],
    [
      'is there twice',
      `## [Unreleased]\n\n- One.\n\n## [0.2.0]\n\n- Two.\n`,
      'and a section [0.2.0]: put them together',
    ],
    ['was cut before', `## [Unreleased]\n\n- One.\n\n## [0.2.0] - 2026-11-01\n`, 'says that 0.2.0 was released'],
    ['has no place', OLD, 'has no section [Unreleased]'],
  ])('is refused where it %s', (_, text, why) => {
    expect(() => cutRelease(HEAD + text, '0.2.0', '2026-12-01')).toThrow(why);
  });

  it('can be cut of this changelog', () => {
    const sections = [...read('CHANGELOG.md').matchAll(/^## \[(.+?)\](?: - \d{4}-\d\d-\d\d)?$/gm)].map(
      ([, name]) => name,
    );
    expect(sections[0]).toBe('Unreleased');
    expect(new Set(sections).size).toBe(sections.length);
  });
});

it.each([
  ['abc', 'a version is three numbers, such as 0.3.0, not abc'],
  ['0.0.1', /the version is \d+\.\d+\.\d+ already, and 0\.0\.1 is older/],
  ['', 'npm run release -- <version>'],
])('the version %j is refused before anything is done', (version, why) => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/release.mjs'), version], {
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(why);
});
