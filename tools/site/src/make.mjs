import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vitepress';
import { deadLinks } from './dead-links.mjs';

// node make.mjs <folder> <sources> [--beside]: makes the site, which then takes the place of the folder, with what names its
// sources. Beside another process, which holds the other end of the standard input, it ends with that one.
const [out, sources, mode] = process.argv.slice(2);
const site = fileURLToPath(new URL('..', import.meta.url));
const work = join(site, 'build', String(process.pid));

/** Least size of what is kept compressed as well. */
const LEAST = 1_024;

if (mode === '--beside')
  process.stdin
    .on('end', () => process.exit(1))
    .on('error', () => process.exit(1))
    .resume();
try {
  removeLeft();
  mkdirSync(work, { recursive: true });
  process.env.SITE_WORK = work;
  await build(site);
  const made = join(work, 'out');
  // What is shown where nothing is found would have to know how deep that lies.
  rmSync(join(made, '404.html'));
  const dead = deadLinks(made);
  if (dead.length > 0) throw new Error(`links that lead nowhere:\n${dead.join('\n')}`);
  await compressAll(made);
  writeFileSync(join(made, '.sources'), sources);
  rmSync(out, { recursive: true, force: true });
  renameSync(made, out);
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exit(0);

/** Removes what processes have left that were ended. */
function removeLeft() {
  mkdirSync(join(site, 'build'), { recursive: true });
  for (const name of readdirSync(join(site, 'build'))) {
    try {
      process.kill(Number(name), 0);
    } catch {
      rmSync(join(site, 'build', name), { recursive: true, force: true });
    }
  }
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
