import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile } from '../json.mjs';
import { contentsOf } from './contents.mjs';

/** Where the modules are in the image. */
const PLACE = '/opt/countersign/node_modules';

/**
 * The bill of materials of the image: the modules that are in it, what the package of PostgreSQL holds, Node.js, and the packages
 * of Debian.
 *
 * @param bill what npm says of the modules on every platform, in CycloneDX
 * @param {{modules: string, version: string, id: string, node: string, debian: string[]}} given the folder `node_modules` of the
 *   image; the version and the id of the image; the release of Node.js; lines of package, version and architecture
 */
export function billOfImage(bill, { modules, version, id, node, debian }) {
  const known = new Map(bill.components.map((one) => [one['bom-ref'], one]));
  const installed = [...new Map(modulesIn(modules).map((one) => [refOf(one), one])).values()];
  const database = installed.find(({ name }) => name.startsWith('@countersign/postgres-'));
  const { postgres, libraries } = contentsOf(
    join(modules, database.name, 'native'),
    `${PLACE}/${database.name}/native`,
  );
  const components = [
    ...installed.map((one) => ({ ...(known.get(refOf(one)) ?? unknown(one)), name: one.name })),
    postgres,
    ...libraries,
    nodeJs(node),
    ...debian.map(debianPackage),
  ];
  const refs = new Set(components.map((one) => one['bom-ref']));
  const dependencies = [
    ...bill.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map((one) => ({ ...one, dependsOn: (one.dependsOn ?? []).filter((ref) => refs.has(ref)) })),
    { ref: refOf(database), dependsOn: [postgres['bom-ref']] },
    { ref: postgres['bom-ref'], dependsOn: libraries.map((one) => one['bom-ref']) },
  ];
  const hashes = [{ alg: 'SHA-256', content: id }];
  const component = { type: 'container', name: 'countersign', version, 'bom-ref': 'image', hashes };
  return { ...bill, metadata: { ...bill.metadata, component }, components, dependencies };
}

/** The manifest of every package that is installed in the folder, those within another included. */
function modulesIn(folder) {
  return readdirSync(folder).flatMap((name) => {
    const place = join(folder, name);
    if (name.startsWith('@')) return modulesIn(place);
    const own = join(place, 'node_modules');
    return [readJsonFile(join(place, 'package.json')), ...(existsSync(own) ? modulesIn(own) : [])];
  });
}

function refOf({ name, version }) {
  return `${name}@${version}`;
}

/** What package-lock.json lacks: the package of PostgreSQL, which is made here. */
function unknown({ name, version, license }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    version,
    purl,
    'bom-ref': refOf({ name, version }),
    licenses: [{ license: { id: license } }],
  };
}

function nodeJs(version) {
  const purl = `pkg:generic/node@${version}`;
  const cpe = `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`;
  return { type: 'application', name: 'node', version, purl, cpe, 'bom-ref': purl };
}

function debianPackage(line) {
  const [name, version, architecture] = line.split(' ');
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
  return { type: 'library', name, version, purl, 'bom-ref': purl };
}
