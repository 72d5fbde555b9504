import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, stat, statfs, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Bytes of a file that are read at a time. */
export const CHUNK_BYTES = 1024 * 1024;

/**
 * Whether there is something at `path`.
 *
 * @throws any error other than absence
 */
export async function fileExists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Bytes that an ordinary user may still write in a folder; infinite where the system does not say. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: Number.POSITIVE_INFINITY, bsize: 1 }));
  return bavail * bsize;
}

/**
 * Writes a new file atomically: readers see all of it or nothing, and of several writers at once exactly one succeeds.
 * Its bytes and its name are on the disk when this returns.
 *
 * @returns whether this call made the file; false when it existed already
 * @throws when the folder is not writable
 */
export async function writeOnce(path: string, content: string, mode: number): Promise<boolean> {
  const draft = `${path}.draft-${randomUUID()}`;
  await writeDurably(draft, content, mode);
  try {
    // A hard link, unlike a rename, fails when the name is taken.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(draft);
  }
  await syncFolder(dirname(path));
  return true;
}

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = constants;

/**
 * Writes a file, replacing any of that name, and waits until its bytes are on the disk. Root writes here into folders of other users: a
 * link is refused.
 */
export async function writeDurably(path: string, content: string, mode: number): Promise<void> {
  const file = await open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Waits until the names in a folder are on the disk. Does nothing on Windows, where folders cannot be opened. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
