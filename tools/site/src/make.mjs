import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { takeFolder, takeLock } from './build-lock.mjs';
import { deadLinks } from './dead-links.mjs';

// node make.mjs <folder> <sources> [--beside]: makes the site, which then takes the place of the folder, with what names its
// sources. Where another process makes it of the same ones, it waits for that. Beside another process, which holds the other end of the
// standard input, it ends with that one.
const [out, sources, mode] = process.argv.slice(2);
const site = fileURLToPath(new URL('..', import.meta.url));
const build = join(site, 'build');
const { pid } = process;
const isBeside = mode === '--beside';
const work = takeFolder(build, pid);

/** Least size of what is kept compressed as well. */
const LEAST = 1_024;

if (isBeside)
  process.stdin
    .on('end', () => process.exit(1))
    .on('error', () => process.exit(1))
    .resume();
// At the lowest priority, it is in nobody's way.
const giveBack = isBeside ? () => {} : await takeLock(build, sources, pid);
try {
  if (!isMade()) await make();
} finally {
  giveBack();
  rmSync(work, { recursive: true, force: true });
}
process.exit(0);

/** Whether the site is there, made of these sources. */
function isMade() {
  const file = join(out, '.sources');
  return existsSync(file) && readFileSync(file, 'utf8') === sources;
}

async function make() {
  process.env.SITE_WORK = work;
  // Not before: it is large, and what waits does not need it.
  const { build: buildSite } = await import('vitepress');
  await buildSite(site);
  const made = join(work, 'out');
  // What is shown where nothing is found would have to know how deep that lies.
  rmSync(join(made, '404.html'));
  const dead = deadLinks(made);
  if (dead.length > 0) throw new Error(`links that lead nowhere:\n${dead.join('\n')}`);
  await compressAll(made);
  writeFileSync(join(made, '.sources'), sources);
  // Somebody may read the one that is there.
  if (isMade()) return;
  rmSync(out, { recursive: true, force: true });
  renameSync(made, out);
}

async function compressAll(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((one) => /\.(html|js|css|svg|json)$/.test(one))) {
    const text = readFileSync(join(folder, name));
    if (text.length < LEAST) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
    writeFileSync(join(folder, `${name}.br`), await promisify(brotliCompress)(text, { params }));
    writeFileSync(join(folder, `${name}.gz`), await promisify(gzip)(text, { level: 9 }));
  }
}
