import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, say } from './root.mjs';

/** Every package that is compiled, each after those it refers to. */
const packages = [
  'packages/embedded-postgres',
  'packages/protocol',
  'packages/safe-json-schema',
  'packages/verifier',
  'packages/server',
  'packages/client',
  'packages/cli',
];

/** Where a package begins; a command has no `index.js`. */
const entries = ['index.js', 'main.js'];

/** Names the sources that the last build was made of, and what the compiler has on record: it may have compiled others since. */
export const stamp = join(root, 'packages/server/dist/.sources');

/** Compiles the packages unless that was done for these very sources, which is quicker to see than to ask the compiler. */
export function ensureBuilt() {
  const complete = packages.every((folder) => entries.some((entry) => existsSync(join(root, folder, 'dist', entry))));
  const isStamped = existsSync(stamp) && readFileSync(stamp, 'utf8') === digest();
  if (complete && isStamped) return;
  say('compiling ...');
  // What is on record as compiled is not compiled again, even when its output was deleted: unless forced.
  const args = [join(root, 'node_modules/typescript/bin/tsc'), '-b', ...(complete ? [] : ['--force']), ...packages];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) {
    say('the sources do not compile');
    process.exit(status ?? 1);
  }
  writeFileSync(stamp, digest());
}

const consoleFolder = join(root, 'packages/console');

/** What the page of the console is made of, beside its own sources. */
const bundled = ['packages/protocol', 'packages/verifier', 'packages/client'];

/** Names the sources that the last page was made of. */
const consoleStamp = join(consoleFolder, 'dist/.sources');

/** Makes the page of the console, unless that was done for these very sources. The packages must be compiled. */
export function ensureConsoleBuilt() {
  const made = digestOf(
    [...bundled, 'packages/console'],
    ['index.html', 'scripts/build.mjs', '../server/look/tokens.css', '../server/look/mark.svg'],
  );
  if (existsSync(consoleStamp) && readFileSync(consoleStamp, 'utf8') === made) return;
  say('making the console ...');
  // In a process of its own: what bundles it is large, and a server may start in this one.
  const { status } = spawnSync(process.execPath, [join(consoleFolder, 'scripts/build.mjs')], {
    cwd: consoleFolder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) {
    say('the console cannot be made');
    process.exit(status ?? 1);
  }
  writeFileSync(consoleStamp, made);
}

function digest() {
  return digestOf(packages, ['tsconfig.tsbuildinfo']);
}

/** A digest of the sources of packages, and of further files of each. */
function digestOf(folders, more) {
  const hash = createHash('sha256');
  const files = [join(root, 'tsconfig.base.json'), join(root, 'package-lock.json')];
  for (const folder of folders) {
    files.push(...['tsconfig.json', 'package.json', ...more].map((name) => join(root, folder, name)));
    const names = readdirSync(join(root, folder, 'src'), { recursive: true }).filter((name) =>
      /\.(tsx?|css)$/.test(name),
    );
    files.push(...names.sort().map((name) => join(root, folder, 'src', name)));
  }
  for (const file of files.filter((name) => existsSync(name))) {
    const text = readFileSync(file);
    hash.update(`${file.slice(root.length)} ${text.length}\n`).update(text);
  }
  return hash.digest('hex');
}
