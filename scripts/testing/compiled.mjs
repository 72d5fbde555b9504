import { dirname, join, relative, resolve, sep } from 'node:path';
import { root } from '../root.mjs';

/** Where compiled packages lie, for `server.deps.external`: Node.js loads them itself. */
export const COMPILED = /\/packages\/[^/]+\/dist\//;

/**
 * A plugin of Vite that resolves what tests import from a package's sources to its compiled output. Transforming the sources
 * in each run took longer than most tests.
 */
export function compiled() {
  return {
    name: 'compiled',
    enforce: 'pre',
    resolveId(source, importer) {
      if (importer === undefined || !source.startsWith('.') || !source.endsWith('.js')) return null;
      return outputOf(resolve(dirname(importer), source));
    },
  };
}

/** The compiled file of a source; null for any other path. */
function outputOf(path) {
  const [top, name, folder, ...rest] = relative(root, path).split(sep);
  // The console is bundled, and not compiled file by file.
  return top === 'packages' && folder === 'src' && name !== 'console' ? join(root, top, name, 'dist', ...rest) : null;
}
