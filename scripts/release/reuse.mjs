import { cpSync, existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.mjs';

/** Caches, which stay in the other checkout. */
const CACHES = /^\.(cache|vite|vitest)/;

/** What the compiler has on record of the sources of a package. */
const BUILD_INFO = 'tsconfig.tsbuildinfo';

/**
 * Copies what is installed and compiled in another checkout to this one, which has neither. Both are checked again: what
 * package-lock.json asks for and is not there is installed, and the compiler compares every source with what it has on record.
 *
 * @param {string} from the folder of the other checkout
 */
export function reuseBuild(from) {
  copyModules(from, '.');
  for (const parent of ['packages', 'tools']) {
    for (const name of readdirSync(join(root, parent))) copyModules(from, `${parent}/${name}`);
  }
  for (const name of readdirSync(join(root, 'packages'))) {
    for (const made of ['dist', BUILD_INFO]) copy(from, `packages/${name}/${made}`);
    // Older than every source, it has each compared by its digest.
    const info = join(root, 'packages', name, BUILD_INFO);
    if (existsSync(info)) utimesSync(info, 0, 0);
  }
}

function copyModules(from, folder) {
  const modules = join(folder, 'node_modules');
  if (!existsSync(join(from, modules))) return;
  for (const name of readdirSync(join(from, modules))) if (!CACHES.test(name)) copy(from, join(modules, name));
}

/** Links stay links: those of npm to the packages here are relative. */
function copy(from, path) {
  if (!existsSync(join(from, path))) return;
  cpSync(join(from, path), join(root, path), { recursive: true, verbatimSymlinks: true });
}
