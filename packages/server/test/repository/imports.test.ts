import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { read, root } from '../support/documents.js';

/** What a module of JavaScript names by a path, of itself and of what it imports when it needs it. */
const IMPORT = /(?:from|import\()\s*'(\.[^']+)'/g;

it('each module that a program of JavaScript imports by its path is there, or its source is', () => {
  const programs = execFileSync('git', ['ls-files', 'bench/*.mjs', 'scripts/*.mjs', 'examples/*.mjs'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(Boolean);
  const missing: string[] = [];
  for (const program of programs) {
    for (const [, named = ''] of read(program).matchAll(IMPORT)) {
      const path = join(dirname(program), named);
      // By its source: what was compiled of one that is gone may still be there.
      const source = path.replace(/(^|\/)dist\//, '$1src/');
      const places = source === path ? [path] : ['.ts', '.tsx'].map((end) => source.replace(/\.js$/, end));
      if (!places.some((one) => existsSync(join(root, one)))) missing.push(`${program}: ${named}`);
    }
  }
  expect(programs.length).toBeGreaterThan(50);
  expect(missing).toEqual([]);
});
