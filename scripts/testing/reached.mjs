import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { root } from '../root.mjs';

const require = createRequire(import.meta.url);

/** Folders whose files import one another. */
const FOLDERS = ['packages', 'scripts', 'bench', 'examples', 'tools'];

/** Names a module by a path, or one of our packages: in `import`, `export … from` and `import()`. */
const IMPORTED = /(?:from|import)\s*\(?\s*'((?:\.|@countersign\/)[^']*)'/g;

/**
 * The test files that changes since a commit can reach through imports. A change of a file that nothing imports, as of a page,
 * reaches the tests that read the repository.
 *
 * @param since a commit; what is not committed yet counts as well
 * @returns paths below the repository
 */
export function testsReached(since) {
  const importers = readImporters();
  const reached = new Set(changedSince(since));
  for (const path of reached) for (const importer of importers.get(path) ?? []) reached.add(importer);
  const tests = [...reached].filter((path) => path.endsWith('.test.ts') && existsSync(join(root, path)));
  const isUnseen = [...reached].some((path) => !importers.has(path) && !path.endsWith('.test.ts'));
  return [...new Set([...tests, ...(isUnseen ? READERS : [])])];
}

/** Tests that read files of the repository by their names. */
const READERS = [
  'packages/server/test/docs.test.ts',
  'packages/server/test/interface.test.ts',
  'packages/server/test/repository/',
  'packages/server/test/release/',
  'packages/server/test/config.test.ts',
];

function changedSince(since) {
  const lines = (...args) => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    if (status !== 0) throw new Error(`git ${args[0]}: ${stderr.trim()}`);
    return stdout.split('\n').filter((line) => line !== '');
  };
  return [...lines('diff', '--name-only', since), ...lines('ls-files', '--others', '--exclude-standard')];
}

/** Files that start a program, or have a thread run it, by the path of the program. */
const PROGRAMS = {
  'packages/server/src/main.ts': [
    'packages/server/test/durability/service.ts',
    'packages/server/test/start.deep.test.ts',
    'packages/server/test/support/starts.ts',
  ],
  'packages/server/src/signing/worker.ts': ['packages/server/src/signing/thread.ts'],
  'packages/server/src/outbound/trial-worker.ts': ['packages/server/src/outbound/trials.ts'],
  'packages/cli/src/main.ts': ['packages/cli/test/support/cli.ts', 'packages/server/test/json/misread.deep.test.ts'],
};

/** The files that import each file, by its path. */
function readImporters() {
  const importers = new Map(Object.entries(PROGRAMS));
  for (const path of FOLDERS.flatMap(sourcesBelow)) {
    for (const [, name] of readFileSync(join(root, path), 'utf8').matchAll(IMPORTED)) {
      const imported = pathOf(path, name);
      importers.set(imported, [...(importers.get(imported) ?? []), path]);
    }
  }
  return importers;
}

/** The source that `name` stands for in the file at `path`: what is compiled is named `.js`. */
function pathOf(path, name) {
  const [, ours, below] = /^@countersign\/([^/]+)(?:\/(.+))?$/.exec(name) ?? [];
  const named = ours ? exportOf(ours, below) : join(dirname(path), name);
  const compiled = named.replace(/^(packages\/[^/]+\/)dist\//, '$1src/');
  const source = compiled.replace(/\.js$/, '.ts');
  // One that was deleted is named as a source as well.
  return existsSync(join(root, compiled)) ? compiled : source;
}

/** The compiled file that a package serves under a name. */
function exportOf(name, below) {
  const manifest = join(root, 'packages', name, 'package.json');
  // Text that looks like an import names none.
  const { exports = {} } = existsSync(manifest) ? require(manifest) : {};
  return join('packages', name, exports[below ? `./${below}` : '.']?.default ?? '');
}

function sourcesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => /\.(ts|mjs|cjs)$/.test(name) && !/(^|\/)(node_modules|dist|\.bundle|\.copy-[^/]*)\//.test(name))
    .map((name) => relative(root, resolve(root, folder, name)));
}
