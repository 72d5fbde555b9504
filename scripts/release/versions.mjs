import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile } from '../json.mjs';

/** Kinds of dependencies in which packages of the repository name one another. */
const DEPENDENCIES = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];

/**
 * Gives every package of the repository a version, and what they say of one another, in package-lock.json too; and the chart.
 *
 * @param {string} root the folder of the repository
 * @param {string} version such as `0.3.0`
 */
export function setVersions(root, version) {
  const folders = ['packages', 'tools'].flatMap((parent) =>
    readdirSync(join(root, parent))
      .map((name) => `${parent}/${name}`)
      .filter((folder) => existsSync(join(root, folder, 'package.json'))),
  );
  const names = new Set(folders.map((folder) => readJsonFile(join(root, folder, 'package.json')).name));
  for (const folder of ['', ...folders]) {
    editJson(join(root, folder, 'package.json'), (manifest) => setVersion(manifest, names, version));
  }
  editJson(join(root, 'package-lock.json'), (lock) => {
    lock.version = version;
    for (const folder of ['', ...folders]) {
      if (lock.packages[folder] === undefined) throw new Error(`package-lock.json lacks ${folder}: run npm install`);
      setVersion(lock.packages[folder], names, version);
    }
  });
  const chart = join(root, 'deploy/helm/countersign/Chart.yaml');
  const text = readFileSync(chart, 'utf8');
  writeFileSync(
    chart,
    text.replace(/^version: .*$/m, `version: ${version}`).replace(/^appVersion: .*$/m, `appVersion: "${version}"`),
  );
}

function setVersion(manifest, names, version) {
  manifest.version = version;
  for (const kind of DEPENDENCIES) {
    for (const name of Object.keys(manifest[kind] ?? {})) if (names.has(name)) manifest[kind][name] = version;
  }
}

function editJson(file, edit) {
  const value = readJsonFile(file);
  edit(value);
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
