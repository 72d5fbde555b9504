import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { read } from '../support/documents.js';

/** Modules that a script loads before its first line runs, those that these load included. */
function loadedBy(path: string, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of read(path).matchAll(/^(?:(?:import|export) [^;'"]+ from |import )'([^']+)';$/gm)) {
    const module = name.startsWith('.') ? join(dirname(path), name) : name;
    if (found.has(module)) continue;
    found.add(module);
    if (name.startsWith('.')) loadedBy(module, found);
  }
  return found;
}

/** Scripts that install what is missing. */
const scripts = readdirSync(new URL('../../../../scripts/', import.meta.url), { recursive: true, encoding: 'utf8' })
  .map((name) => `scripts/${name}`)
  .filter((path) => path.endsWith('.mjs') && loadedBy(path).has('scripts/install.mjs'));

describe('in a new clone, where nothing is installed', () => {
  it.each(scripts)('%s begins', (path) => {
    const needed = [...loadedBy(path)].filter(
      (module) => !module.startsWith('node:') && !module.startsWith('scripts/'),
    );
    expect(needed).toEqual([]);
  });

  it('so begin tests, start and release', () => {
    expect(scripts).toEqual(
      expect.arrayContaining(['scripts/test.mjs', 'scripts/start.mjs', 'scripts/release/make.mjs']),
    );
  });
});
