import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What the package of PostgreSQL holds besides PostgreSQL: for each project the files that it may be in, and how the version
 * stands in one of them. `format` makes a version of what is found.
 */
const PROJECTS = [
  {
    name: 'openssl',
    files: /^lib(crypto|ssl)\./,
    version: /OpenSSL (\d+\.\d+\.\d+[a-z]*) +\d+ [A-Z][a-z]{2} \d{4}/,
    cpe: 'openssl:openssl',
    license: { id: 'OpenSSL' },
  },
  {
    name: 'icu',
    files: /^libicu(data|i18n|uc)\./,
    version: /\0(\d{2}\.\d+(?:\.\d+)*)\0/,
    cpe: 'icu-project:international_components_for_unicode',
    license: { id: 'Unicode-DFS-2016' },
  },
  {
    name: 'libxml2',
    files: /^libxml2\./,
    version: /(?<![ -~])(2\d{4})\0/,
    format: dotted,
    cpe: 'xmlsoft:libxml2',
    license: { id: 'MIT' },
  },
  {
    name: 'libxslt',
    files: /^libxslt\./,
    version: /(?<![ -~])(1\d{4})\0/,
    format: dotted,
    cpe: 'xmlsoft:libxslt',
    license: { id: 'MIT' },
  },
  {
    name: 'zlib',
    files: /^libz\./,
    version: / inflate (\d+(?:\.\d+)+) Copyright/,
    cpe: 'zlib:zlib',
    license: { id: 'Zlib' },
  },
  {
    name: 'xz',
    files: /^liblzma\./,
    version: /\0(\d+\.\d+\.\d+)\0/,
    cpe: 'tukaani:xz',
    license: { name: 'public domain' },
  },
  {
    name: 'ossp-uuid',
    files: /^libossp-uuid\./,
    version: /OSSP uuid, Version (\d+(?:\.\d+)+)/,
    license: { name: 'OSSP uuid' },
  },
];

/** Libraries of PostgreSQL itself. */
const OWN = /^lib(pq|ecpg|ecpg_compat|pgtypes)\./;

/**
 * What the package of PostgreSQL holds, as components of CycloneDX: PostgreSQL, and the libraries of others. Their versions are
 * read from the binaries.
 *
 * @param {string} native its folder `native`
 * @param {string} location where that folder is, for whoever looks for a file
 * @returns {{postgres: object, libraries: object[]}}
 * @throws Error where a library is of no known project, or does not tell its version
 */
export function contentsOf(native, location) {
  const [, version] =
    /postgres \(PostgreSQL\) (\d+[\w.]*)/.exec(readFileSync(join(native, 'bin/postgres'), 'latin1')) ?? [];
  if (version === undefined) throw new Error(`${location}/bin/postgres does not tell its version`);
  const postgres = component({
    type: 'application',
    name: 'postgresql',
    version,
    paths: [`${location}/bin/postgres`],
    cpe: 'postgresql:postgresql',
    license: { id: 'PostgreSQL' },
  });
  const lib = join(native, 'lib');
  const names = readdirSync(lib).filter((name) => /\.so(\.\d+)*$/.test(name));
  const strange = names.find((name) => !OWN.test(name) && !PROJECTS.some(({ files }) => files.test(name)));
  if (strange !== undefined) {
    throw new Error(`scripts/image/contents.mjs names no project for ${location}/lib/${strange}`);
  }
  const libraries = PROJECTS.map((project) => ({ project, found: names.filter((name) => project.files.test(name)) }))
    .filter(({ found }) => found.length > 0)
    .map(({ project, found }) =>
      component({
        ...project,
        type: 'library',
        version: versionIn(lib, found, project, location),
        paths: found.map((name) => `${location}/lib/${name}`),
      }),
    );
  return { postgres, libraries };
}

/** The version that the files of a project tell; some of them tell none. */
function versionIn(lib, found, { name, version, format = (text) => text }, location) {
  const told = found.flatMap((file) => version.exec(readFileSync(join(lib, file), 'latin1'))?.[1] ?? []);
  const [only, ...others] = new Set(told);
  if (only === undefined)
    throw new Error(`${found.join(', ')} in ${location}/lib: the version of ${name} is not found`);
  if (others.length > 0) throw new Error(`${found.join(', ')} in ${location}/lib: ${name} is of several versions`);
  return format(only);
}

/** `20904` as `2.9.4`. */
function dotted(number) {
  return [number / 10_000, (number / 100) % 100, number % 100].map(Math.floor).join('.');
}

function component({ type, name, version, paths, cpe, license }) {
  const purl = `pkg:generic/${name}@${version}`;
  return {
    type,
    name,
    version,
    purl,
    ...(cpe === undefined ? {} : { cpe: `cpe:2.3:a:${cpe}:${version}:*:*:*:*:*:*:*` }),
    'bom-ref': purl,
    licenses: [{ license }],
    evidence: { occurrences: paths.map((path) => ({ location: path })) },
  };
}
