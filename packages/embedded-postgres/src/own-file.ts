import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';

/** Bytes of the longest file: a password, or the status of PostgreSQL. */
const LONGEST_OWN_FILE = 65_536;

/** Windows has neither flag, and no links that an ordinary user may make. */
const SAFELY = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Reads a file of PostgreSQL. Root reads here what another user owns, who may have put a link to a file of somebody else in its place:
 * only a file of the owner is read.
 *
 * @param home whose owner must own the file as well
 * @throws Error of the system, as for a missing file; or when it is a link, no file, too long, or somebody else's
 */
export function readOwnFile(home: string, path: string): Promise<string> {
  return withOwnFile(home, path, constants.O_RDONLY, (file) => file.readFile('utf8'));
}

/**
 * Replaces what a file of PostgreSQL holds.
 *
 * @throws as `readOwnFile` does
 */
export function overwriteOwnFile(home: string, path: string, content: string): Promise<void> {
  return withOwnFile(home, path, constants.O_WRONLY, async (file) => {
    await file.truncate();
    await file.writeFile(content);
  });
}

async function withOwnFile<T>(
  home: string,
  path: string,
  flags: number,
  use: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const { uid } = await lstat(home);
  const file = await open(path, flags | SAFELY);
  try {
    const found = await file.stat();
    if (!found.isFile() || found.uid !== uid || found.size > LONGEST_OWN_FILE) {
      throw new Error(`${path} is not a file of the user with id ${uid}, who owns ${home}`);
    }
    return await use(file);
  } finally {
    await file.close();
  }
}
