import { createRequire } from 'node:module';
import { npm } from './npm.mjs';
import { say } from './root.mjs';

const require = createRequire(import.meta.url);

/** Installs the dependencies with `npm ci` unless what package-lock.json asks for is installed. Ends the process where that fails. */
export function ensureInstalled() {
  try {
    installMissing();
  } catch (error) {
    say(error.message);
    process.exit(error.status ?? 1);
  }
}

/**
 * The same for a process that has others to wait for.
 *
 * @throws Error with the `status` of npm
 */
export function installMissing() {
  const missing = firstMissing();
  if (missing === undefined) return;
  say(`installing dependencies (${missing}) ...`);
  // Our own build needs the development dependencies, also where NODE_ENV is production.
  // What npm has in its cache need not be asked for again: the digests are in package-lock.json.
  const args = ['ci', '--include=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = npm(args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status === 0) return;
  throw Object.assign(new Error(`npm ci failed${error ? `: ${error.message}` : ''}`), { status });
}

/**
 * What is not installed as package-lock.json says. The two lists are compared rather than the times of the files,
 * which a copy or a checkout changes.
 */
function firstMissing() {
  let installed;
  try {
    // npm keeps here what it installed.
    installed = require('../node_modules/.package-lock.json').packages;
  } catch {
    return 'there are none yet';
  }
  const wanted = require('../package-lock.json').packages;
  for (const [path, { version, link, optional }] of Object.entries(wanted)) {
    if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) continue;
    const found = installed[path];
    // An optional package is left out where it does not fit the platform.
    if (found === undefined ? !optional : !link && found.version !== version) {
      return `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)} is missing or changed`;
    }
  }
  return undefined;
}
