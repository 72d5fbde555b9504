import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { npm } from './npm.mjs';
import { root, say } from './root.mjs';

/** What is wrong with a call, in words for whoever made it. */
export class Problem extends Error {}

const USAGE =
  'npm run test:node -- <release> [command …], with a release such as 24 or 24.21.0; the command is npm test by default';

/**
 * Reads the arguments of a call.
 *
 * @returns the release, a major version or an exact one, and the command with its arguments
 * @throws Problem
 */
export function parseCall([release = '', ...rest]) {
  if (!/^\d+(\.\d+\.\d+)?$/.test(release)) throw new Problem(USAGE);
  const [command = 'npm', ...args] = rest[0] === '--' ? rest.slice(1) : rest;
  return { release, command, args: rest.length === 0 ? ['test'] : args };
}

/** The package of npm that has Node.js for a platform. */
export function packageFor(platform, arch) {
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${platform === 'win32' ? 'win' : platform}-${arch}`;
}

/** The newest of some exact versions; undefined of none. */
export function newest(versions) {
  const order = new Intl.Collator('en', { numeric: true });
  return versions.toSorted(order.compare).at(-1);
}

/**
 * Installs a release for this platform, unless it is there.
 *
 * @returns the folder with its `node`
 * @throws Problem for one that there is not
 */
export function ensureRelease(release) {
  const name = packageFor(process.platform, process.arch);
  const version = release.includes('.') ? release : newestOf(name, release);
  const folder = join(root, 'node_modules/.cache/node', `${name}-${version}`);
  const binOf = (place) => join(place, 'node_modules', name, 'bin');
  if (existsSync(binOf(folder))) return binOf(folder);
  say(`installing Node.js ${version} ...`);
  mkdirSync(dirname(folder), { recursive: true });
  // Elsewhere than the repository, whose own dependencies stay as they are; and complete, or not at all.
  const begun = mkdtempSync(`${folder}-`);
  try {
    const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
    run(release, ['install', '--prefix', begun, ...options, `${name}@${version}`]);
    // A service runs as a user of its own.
    chmodSync(begun, 0o755);
    renameSync(begun, folder);
  } catch (error) {
    rmSync(begun, { recursive: true });
    // Another one may have installed it meanwhile.
    if (!existsSync(binOf(folder))) throw error;
  }
  return binOf(folder);
}

function newestOf(name, major) {
  const versions = run(major, ['view', `${name}@${major}`, 'version', '--json']).match(/\d+\.\d+\.\d+/g);
  return newest(versions ?? []) ?? refuse(major);
}

/** @returns what npm printed */
function run(release, args) {
  // Also where npm itself was told to say nothing.
  const { status, stdout, stderr, error } = npm([...args, '--loglevel=error'], { encoding: 'utf8' });
  if (status === 0) return stdout;
  if (/\b(E404|ETARGET)\b/.test(stderr)) refuse(release);
  throw new Error(`npm ${args[0]} failed: ${error?.message ?? stderr.trim()}`);
}

function refuse(release) {
  throw new Problem(`npm has no Node.js ${release} for ${process.platform} on ${process.arch}`);
}

/** The environment of a command that finds the `node` of a folder before any other. */
export function environmentWith(bin, env) {
  const node = join(bin, process.platform === 'win32' ? 'node.exe' : 'node');
  // Windows spells the name in its own way.
  const path = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  return {
    ...env,
    [path]: [bin, ...(env[path] ? [env[path]] : [])].join(delimiter),
    NODE: node,
    npm_node_execpath: node,
  };
}
