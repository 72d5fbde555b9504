import { access, constants, mkdir, realpath } from 'node:fs/promises';

/**
 * Makes the data directory unless it is there. Others may pass through it but not look: when root starts the server,
 * its PostgreSQL is not root's. What is in it guards itself.
 *
 * @returns its path without symbolic links
 * @throws Error when it cannot be made, or not be written
 */
export async function openDataDir(dataDir: string): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o711 });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(dataDir);
  } catch (error) {
    throw new Error(`DATA_DIR ${dataDir} cannot be used: ${(error as Error).message}`);
  }
}
