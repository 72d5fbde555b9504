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

function digest() {
  const hash = createHash('sha256');
  const files = [join(root, 'tsconfig.base.json'), join(root, 'package-lock.json')];
  for (const folder of packages) {
    files.push(...['tsconfig.json', 'package.json', 'tsconfig.tsbuildinfo'].map((name) => join(root, folder, name)));
    const names = readdirSync(join(root, folder, 'src'), { recursive: true }).filter((name) => name.endsWith('.ts'));
    files.push(...names.sort().map((name) => join(root, folder, 'src', name)));
  }
  for (const file of files.filter((name) => existsSync(name))) {
    const text = readFileSync(file);
    hash.update(`${file.slice(root.length)} ${text.length}\n`).update(text);
  }
  return hash.digest('hex');
}
