import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJsonFile } from '../json.mjs';
import { root } from '../root.mjs';
import { ensureSite, siteFolder } from '../site.mjs';
import { publishedManifest } from './manifest.mjs';
import { originOf } from './origin.mjs';
import { layOutPostgres, PLATFORMS } from './postgres.mjs';
import { extract, npmPack } from './tarball.mjs';

/** The package that states the build, and serves the documentation. */
const SERVER = 'server';

/**
 * Packs every package of the repository as it is published. The sources must be compiled.
 *
 * @param {string} out the folder for the tarballs
 * @returns {{name: string, path: string, size: number}[]} the tarballs
 */
export function packPackages(out) {
  return within((work) => npmPack(layOutPackages(work), out));
}

/**
 * Packs PostgreSQL as it is published. Nothing needs to be compiled or installed.
 *
 * @param {string} out the folder for the tarballs
 * @param {readonly string[]} platforms such as `linux-x64`, one at least
 * @returns {{name: string, path: string, size: number}[]} the tarballs
 */
export function packPostgres(out, platforms) {
  const { version } = readJsonFile(join(root, 'package.json'));
  const { url } = originOf(root);
  return within((work) =>
    npmPack(
      platforms.map((platform) => layOutPostgres(platform, { work, version, url })),
      out,
    ),
  );
}

/** What `make` returns, which has a folder for temporary files. */
function within(make) {
  const work = mkdtempSync(join(tmpdir(), 'countersign-pack-'));
  try {
    return make(work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Lays out every package of the repository as it is published.
 *
 * @param {string} work a folder for them
 * @returns {string[]} their folders
 */
export function layOutPackages(work) {
  const names = readdirSync(join(root, 'packages')).sort();
  const { commit, url } = originOf(root);
  // npm knows which files belong to a package.
  const packed = npmPack(
    names.map((name) => `./packages/${name}`),
    join(work, 'first'),
  );
  return packed.map(({ path }, index) => {
    const name = names[index];
    const folder = extract(path, join(work, name));
    const file = join(folder, 'package.json');
    const manifest = readJsonFile(file);
    const given = { folder: `packages/${name}`, url, platforms: Object.keys(PLATFORMS) };
    writeFileSync(file, `${JSON.stringify(publishedManifest(manifest, given), null, 2)}\n`);
    if (name === SERVER) completeServer(folder, commit);
    return folder;
  });
}

/**
 * Unpacks packages that `packPackages` has packed.
 *
 * @param {string} from the folder of the tarballs
 * @param {{work: string, version: string, platform: string}} given a folder for them, their version, and a platform
 * @returns {{folders: string[], postgres?: string}} their folders, and that of PostgreSQL for the platform where it was packed
 */
export function unpackPackages(from, { work, version, platform }) {
  const unpack = (path, name) => extract(join(from, path), join(work, name));
  const folders = readdirSync(from)
    .filter((path) => path.startsWith('countersign-') && path.endsWith(`-${version}.tgz`))
    .map((path) => unpack(path, path));
  const packed = `postgres/countersign-postgres-${platform}-${version}.tgz`;
  return { folders, ...(existsSync(join(from, packed)) ? { postgres: unpack(packed, 'postgres') } : {}) };
}

/** Adds the commit that the build is made of, and the documentation as a site. */
function completeServer(folder, commit) {
  if (commit !== undefined) writeFileSync(join(folder, 'dist/build.json'), `${JSON.stringify({ commit })}\n`);
  ensureSite();
  cpSync(siteFolder, join(folder, 'docs'), { recursive: true });
}
