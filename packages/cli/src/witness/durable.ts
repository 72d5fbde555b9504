import { randomUUID } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Replaces a file whole: after a crash it has the old text or the new one. On the disk when this resolves. */
export async function replaceFile(folder: string, name: string, text: string): Promise<void> {
  const draft = join(folder, `${name}.new`);
  await writeSynced(draft, text);
  await rename(draft, join(folder, name));
  await syncFolder(folder);
}

/** Writes a file that must be new. @returns false when there is one of this name, which is left as it is */
export async function createFile(folder: string, name: string, text: string): Promise<boolean> {
  const draft = join(folder, `${name}.${randomUUID()}.new`);
  await writeSynced(draft, text);
  try {
    await link(draft, join(folder, name));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes what was made and renamed in a folder outlast a crash. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
