import { access, constants, lstat, mkdir, mkdtemp, realpath, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

export { fileExists, freeBytes, syncFolder, writeOnce } from './files.js';
export { findLockHolder, isLockFile, type Lock, lockDataDir } from './lock.js';

/**
 * Makes the data directory if it is missing. Other users may enter it but not list it: when root starts the program,
 * PostgreSQL runs as another user. Each file in it has its own permissions.
 *
 * @param dataDir the path
 * @param setting the name of the setting that holds it, for errors
 * @returns its path with symbolic links resolved
 * @throws Error when it cannot be made or written
 */
export async function openDataDir(dataDir: string, setting = 'the data directory'): Promise<string> {
  try {
    await makeFolder(resolve(dataDir));
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(dataDir);
  } catch (error) {
    throw cannotUse(setting, dataDir, error);
  }
}

/**
 * Checks that the data directory can be used, or made, and leaves everything as it is.
 *
 * @throws as `openDataDir` does
 */
export async function tryDataDir(dataDir: string, setting = 'the data directory'): Promise<void> {
  try {
    const trial = await mkdtemp(join(await nearestFolder(resolve(dataDir)), '.trial-'));
    await rmdir(trial);
  } catch (error) {
    throw cannotUse(setting, dataDir, error);
  }
}

function cannotUse(setting: string, dataDir: string, error: unknown): Error {
  return new Error(`${setting} ${dataDir} cannot be used: ${(error as Error).message}`);
}

/** The folder, or the first above it that is there. */
async function nearestFolder(path: string): Promise<string> {
  try {
    // A link that leads nowhere is there, and is no folder.
    await lstat(path);
    return path;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    return nearestFolder(dirname(path));
  }
}

/** Makes the folder and those above it. Where none can be made, as below /proc, Node.js' own way to do so never ends. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o711 });
  } catch (error) {
    // One that is a file, or a link that leads nowhere, is told by `stat`.
    if (codeOf(error) === 'EEXIST' && (await stat(path)).isDirectory()) return;
    // The one above is there: it takes no folder.
    if (codeOf(error) !== 'ENOENT' || (await nearestFolder(path)) === dirname(path)) throw error;
    await makeFolder(dirname(path));
    await makeFolder(path);
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
