import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readJsonFile, readOwnJson } from './json.mjs';
import { npm } from './npm.mjs';
import { root, say } from './root.mjs';

const USAGE = `node scripts/publish.mjs check v0.3.0       whether the tag is that of the packages
node scripts/publish.mjs packages [--dry-run]  each package in dist-release, by npm
node scripts/publish.mjs image NAME            the image in dist-release, to the registry that NAME is in`;

/**
 * Publishes what a release has made in `dist-release`, as the workflow does. What it learns for later steps, it writes to standard
 * output as `name=value`.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false }, from: { type: 'string', default: 'dist-release' } },
});
const [task, name] = positionals;
const folder = join(root, values.from);
const { version } = readJsonFile(join(root, 'package.json'));
const fileOfImage = `countersign-${version}-linux-${process.arch}`;
const TASKS = { check, packages: publishPackages, image: publishImage };

try {
  if (!Object.hasOwn(TASKS, task ?? '')) throw new Error(USAGE);
  TASKS[task]();
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}

function check() {
  if (name !== `v${version}`) throw new Error(`the packages have the version ${version}, and the tag is ${name}`);
  tell({ version, image: `localhost/countersign:${version}`, file: fileOfImage });
}

/** Those that others need come first. One that is there already, as after a run that failed half-way, is left as it is. */
function publishPackages() {
  const inFolder = (path) =>
    (existsSync(path) ? readdirSync(path) : []).filter((one) => one.endsWith('.tgz')).map((one) => join(path, one));
  const last = join(folder, `countersign-${version}.tgz`);
  const own = inFolder(folder).filter((path) => path !== last);
  const all = [...inFolder(join(folder, 'postgres')), ...own, ...(existsSync(last) ? [last] : [])];
  if (all.length === 0) throw new Error(`there is no package in ${folder}: npm run pack makes them`);
  for (const path of all) {
    const { id } = manifestOf(path);
    if (!values['dry-run'] && npm(['view', id, 'version'], { encoding: 'utf8' }).stdout?.trim()) {
      say(`${id} is published already`);
      continue;
    }
    const { status } = npm(['publish', path, ...(values['dry-run'] ? ['--dry-run', '--provenance=false'] : [])], {
      stdio: 'inherit',
    });
    if (status !== 0) throw new Error(`${id} was not published; those before it were. Run this again`);
    tell({ published: id });
  }
}

function manifestOf(path) {
  const manifest = readOwnJson(run('tar', ['-xzOf', path, 'package/package.json']));
  return { id: `${manifest.name}@${manifest.version}` };
}

function publishImage() {
  if (name === undefined) throw new Error(USAGE);
  const tag = `${name.toLowerCase()}:${version}`;
  run('docker', ['load', '--quiet', '--input', join(folder, `${fileOfImage}.tar`)]);
  run('docker', ['tag', `localhost/countersign:${version}`, tag]);
  run('docker', ['push', '--quiet', tag]);
  const pushed = run('docker', ['image', 'inspect', '--format', '{{index .RepoDigests 0}}', tag]);
  const [, digest] = /@(sha256:[0-9a-f]{64})$/.exec(pushed) ?? [];
  if (digest === undefined) throw new Error(`the registry gave no digest of ${tag}`);
  tell({ name: name.toLowerCase(), digest });
}

function run(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args[0]}: ${error?.message ?? stderr.trim()}`);
  return stdout.trim();
}

function tell(outputs) {
  for (const [key, value] of Object.entries(outputs)) process.stdout.write(`${key}=${value}\n`);
}
