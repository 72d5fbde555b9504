import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../root.mjs';

/** Our packages, of which the build's output is copied too: not every test needs it anew. */
const PACKAGES = ['cli', 'client', 'embedded-postgres', 'protocol', 'safe-json-schema', 'verifier', 'server'];
const BUILT = PACKAGES.map((name) => `packages/${name}`);

/**
 * A copy of the repository as it is now, to put defects into: nothing of the repository itself is ever changed.
 * Dependencies are shared with it, except for our own packages: the copy's tests import the copy's.
 */
export async function makeWorkspace() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-mutants-')));
  try {
    for (const name of sources()) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      cpSync(join(root, name), join(folder, name), { dereference: false });
    }
    for (const name of BUILT) {
      cpSync(join(root, name, 'dist'), join(folder, name, 'dist'), { recursive: true, preserveTimestamps: true });
      shareModules(name, folder);
    }
    shareModules('.', folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  /** The texts of the copy by their files: the repository may be edited meanwhile. */
  const originals = new Map();
  return {
    folder,
    apply: ({ file, find, replace }) => {
      const text = readFileSync(join(folder, file), 'utf8');
      originals.set(file, text);
      // As a function, so that no `$` in the text is taken for a pattern.
      change(
        file,
        text.replace(find, () => replace),
      );
    },
    restore: ({ file }) => change(file, originals.get(file)),
    remove: () => rm(folder, { recursive: true, force: true }),
  };

  /** The tests run what is compiled. */
  function change(file, text) {
    writeFileSync(join(folder, file), text);
    if (file.startsWith('packages/')) build(folder);
  }
}

/** Every file that is or could be in the repository: what Git does not ignore. */
function sources() {
  const listing = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const { status, stdout, stderr } = spawnSync('git', listing, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`The files of the repository are not known: ${stderr}`);
  const deleted = spawnSync('git', ['ls-files', '--deleted', '-z'], { cwd: root, encoding: 'utf8' }).stdout.split('\0');
  return stdout.split('\0').filter((name) => name !== '' && !deleted.includes(name));
}

/** Links what is installed; scopes one by one, so that ours lead to the copy. */
function shareModules(below, folder) {
  const from = join(root, below, 'node_modules');
  if (!existsSync(from)) return;
  const to = join(folder, below, 'node_modules');
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== '@countersign') symlinkSync(join(from, name), join(to, name));
  }
  if (below !== '.') return;
  mkdirSync(join(to, '@countersign'));
  for (const name of PACKAGES) {
    symlinkSync(join(folder, 'packages', name), join(to, '@countersign', name));
  }
}

/** Compiles what changed. Types may be wrong where a defect is: it is compiled all the same. */
function build(folder) {
  const args = [join(root, 'node_modules/typescript/bin/tsc'), '-b', ...BUILT];
  const { error } = spawnSync(process.execPath, args, { cwd: folder, stdio: 'ignore' });
  if (error) throw error;
}
