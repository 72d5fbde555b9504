import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Files that no program reads: sources, maps and types, and texts for developers. */
const UNREAD =
  /(\.map|\.ts|\.[cm]ts|\.md|\.markdown|\.tsbuildinfo|\.flow|\.cc|\.h|\.test\.[cm]?js)$|^(\..+|tsconfig.*\.json|CMakeLists\.txt)$/i;

/** They stay, whatever they are called. */
const LICENCE = /^(licen[cs]e|copying|notice|copyright)/i;

/** Folders of a package that it does not load. */
const UNUSED = /^(tests?|__tests__|examples?|bench|benchmarks?|coverage|\..+)$/;

/**
 * Takes out of installed modules what does not run.
 *
 * @param {string} modules the folder `node_modules`
 * @param {'x64' | 'arm64'} cpu for which native code stays
 */
export function strip(modules, cpu) {
  for (const folder of packagesIn(modules)) {
    for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory())) {
      if (UNUSED.test(name)) rmSync(join(folder, name), { recursive: true });
    }
    // The documentation is served whole.
    const kept = folder.endsWith('@countersign/server') ? join(folder, 'docs') : undefined;
    stripFiles(folder, kept);
  }
  const prebuilds = join(modules, 'sodium-native/prebuilds');
  for (const name of readdirSync(prebuilds)) {
    if (name !== `linux-${cpu}`) rmSync(join(prebuilds, name), { recursive: true });
  }
}

/** Every installed package, those within another included. */
function packagesIn(modules) {
  return readdirSync(modules, { withFileTypes: true })
    .filter((one) => one.isDirectory())
    .flatMap(({ name }) => {
      const folder = join(modules, name);
      if (name.startsWith('@')) return packagesIn(folder);
      const own = readdirSync(folder).includes('node_modules') ? packagesIn(join(folder, 'node_modules')) : [];
      return [folder, ...own];
    });
}

function stripFiles(folder, kept) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (path === kept) continue;
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules') stripFiles(path, kept);
    } else if (UNREAD.test(entry.name) && !LICENCE.test(entry.name)) rmSync(path);
  }
}
