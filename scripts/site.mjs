import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt, stamp } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { originOf } from './pack/origin.mjs';
import { root, say } from './root.mjs';

const PLACE = 'tools/site/dist';

/** Where the documentation is as a site, for the server of a clone. */
export const siteFolder = join(root, PLACE);

/** File of the site that names what it was made of. */
const SOURCES = '.sources';

const program = join(root, 'tools/site/src/make.mjs');

/** Makes the documentation as a site, unless that was done for these very sources. The packages must be compiled. */
export function ensureSite() {
  const sources = digest();
  if (madeOf() === sources) return;
  say('making the documentation ...');
  // Most of what it makes is garbage soon: with more room for that, it takes a tenth less.
  const { status } = spawnSync(process.execPath, ['--max-semi-space-size=64', program, siteFolder, sources], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('the documentation could not be made as a site');
}

/**
 * Takes the documentation that another checkout has made, in the place of that of this one: for a trial of a release, which is not
 * published. Changelog and address of the repository are those of the other checkout.
 *
 * @param {string} from the folder of the other checkout, whose documentation is of its present sources
 */
export function takeSite(from) {
  rmSync(siteFolder, { recursive: true, force: true });
  cpSync(join(from, PLACE), siteFolder, { recursive: true });
  writeFileSync(join(siteFolder, SOURCES), digest());
}

/** Begins to make it where there is none, at the lowest priority; it ends with this process. */
export function makeSiteBeside() {
  if (existsSync(siteFolder)) return;
  const child = spawn(process.execPath, [program, siteFolder, digest(), '--beside'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => {});
  child.unref();
  child.stdin.unref();
  try {
    setPriority(child.pid, constants.priority.PRIORITY_LOW);
  } catch {
    // Then it shares the processor as others do.
  }
}

function madeOf() {
  const file = join(siteFolder, SOURCES);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Names what the site is made of: documents, what makes pages of them, and the packages that describe themselves. */
function digest() {
  const hash = createHash('sha256')
    .update(readFileSync(stamp))
    .update(`${originOf(root).url}`);
  const folders = [
    'docs',
    'examples',
    'packages/server/look',
    'tools/site/src',
    'tools/site/public',
    'tools/site/.vitepress',
  ];
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const beside = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'deploy/helm/countersign/README.md'];
  const readmes = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`);
  for (const name of [...files, ...beside, ...readmes].filter((name) => /\.\w+$/.test(name)).sort()) {
    if (!existsSync(join(root, name))) continue;
    const text = readFileSync(join(root, name));
    hash.update(`${name} ${text.length}\n`).update(text);
  }
  return hash.digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureInstalled();
  ensureBuilt();
  ensureSite();
  say(`the documentation is in ${siteFolder}: any host of static files can serve it`);
}
