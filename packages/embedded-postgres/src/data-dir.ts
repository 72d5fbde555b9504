import { access, constants, mkdir, realpath } from 'node:fs/promises';

export { fileExists, freeBytes, syncFolder, writeOnce } from './files.js';

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
    await mkdir(dataDir, { recursive: true, mode: 0o711 });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(dataDir);
  } catch (error) {
    throw new Error(`${setting} ${dataDir} cannot be used: ${(error as Error).message}`);
  }
}
