import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt, ensureConsoleBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { packPackages, packPostgres } from './pack/packages.mjs';
import { PLATFORMS } from './pack/postgres.mjs';
import { root, say } from './root.mjs';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'dist-release') },
    platform: { type: 'string', multiple: true, default: [`${process.platform}-${process.arch}`] },
    'all-platforms': { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
const all = Object.keys(PLATFORMS);
const platforms = values['all-platforms'] ? all : values.platform.filter((one) => all.includes(one));
for (const one of values.platform)
  if (!all.includes(one)) say(`there is no PostgreSQL for ${one}: of ${all.join(', ')}`);

/** Each of the two can be packed alone: with `--only`. */
const PARTS = {
  packages: { folder: resolve(values.out), pack: packOwn },
  postgres: {
    folder: resolve(values.out, 'postgres'),
    pack: (folder) => (platforms.length === 0 ? [] : packPostgres(folder, platforms)),
  },
};
for (const { folder, pack } of values.only === undefined ? Object.values(PARTS) : [PARTS[values.only]]) {
  // Those of an earlier build must not be taken for this one's.
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (/^countersign-.*\.tgz$/.test(name)) rmSync(join(folder, name));
  }
  for (const { path, size } of pack(folder)) {
    say(`${relative(process.cwd(), path)}  ${(size / 1e6).toFixed(1)} MB`);
  }
}

function packOwn(folder) {
  ensureInstalled();
  ensureBuilt();
  ensureConsoleBuilt();
  return packPackages(folder);
}
