import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.mjs';

/** What is kept from run to run, and is of the other checkout alone. */
const KEPT = /^\.(cache|vite|vitest)/;

/**
 * Copies what is installed and compiled in another checkout to this one, which has neither. Nothing is taken on trust: what
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
    for (const made of ['dist', 'tsconfig.tsbuildinfo']) copy(from, `packages/${name}/${made}`);
  }
}

function copyModules(from, folder) {
  const modules = join(folder, 'node_modules');
  if (!existsSync(join(from, modules))) return;
  for (const name of readdirSync(join(from, modules))) if (!KEPT.test(name)) copy(from, join(modules, name));
}

/** Links stay links: those of npm to the packages here are relative. */
function copy(from, path) {
  if (!existsSync(join(from, path))) return;
  cpSync(join(from, path), join(root, path), { recursive: true, verbatimSymlinks: true });
}
