import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readJson } from '@countersign/protocol';
import { PACKAGE } from '../base/package.js';

/** The build of this program, as the server information and exports state it. */
export const BUILD = buildOf(PACKAGE);

/**
 * Names a build by version and commit, such as `0.2.0+12b1d2b` (interface/ledgers#server-information). In a clone git tells
 * the commit, and `-dirty` marks files that differ from it. A package that was packed for release brings it in
 * `dist/build.json`. Where neither is there, the version stands alone.
 *
 * @param folder of the server's package, with a slash at its end
 */
export function buildOf(folder: URL): string {
  const { version } = readJson(readFileSync(new URL('package.json', folder), 'utf8')) as { version: string };
  const commit = commitOfClone(new URL('../../', folder)) ?? commitOfPackage(folder);
  return commit === undefined ? version : `${version}+${commit}`;
}

function commitOfClone(root: URL): string | undefined {
  // A package lies in a folder `node_modules`, which may be in somebody else's repository.
  if (!existsSync(new URL('.git', root))) return undefined;
  const args = ['--no-optional-locks', 'describe', '--always', '--dirty', '--exclude=*', '--abbrev=7'];
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    return execFileSync('git', args, { cwd: fileURLToPath(root), encoding: 'utf8', stdio }).trim();
  } catch {
    // Git is not installed, or does not trust the owner of the folder.
    return undefined;
  }
}

function commitOfPackage(folder: URL): string | undefined {
  const file = new URL('dist/build.json', folder);
  if (!existsSync(file)) return undefined;
  return (readJson(readFileSync(file, 'utf8')) as { commit: string }).commit;
}
