import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { packPackages } from './pack/packages.mjs';
import { PLATFORMS } from './pack/postgres.mjs';
import { root, say } from './root.mjs';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'dist-release') },
    platform: { type: 'string', multiple: true, default: [`${process.platform}-${process.arch}`] },
    'all-platforms': { type: 'boolean', default: false },
  },
});
const all = Object.keys(PLATFORMS);
const platforms = values['all-platforms'] ? all : values.platform.filter((one) => all.includes(one));
for (const one of values.platform)
  if (!all.includes(one)) say(`there is no PostgreSQL for ${one}: of ${all.join(', ')}`);

ensureInstalled();
ensureBuilt();
const out = resolve(values.out);
// Those of an earlier build must not be taken for this one's.
for (const folder of [out, join(out, 'postgres')]) {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (/^countersign-.*\.tgz$/.test(name)) rmSync(join(folder, name));
  }
}
for (const { path, size } of packPackages(out, platforms)) {
  say(`${relative(process.cwd(), path)}  ${(size / 1e6).toFixed(1)} MB`);
}
