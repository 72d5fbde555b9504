import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFile, syncFolder } from './durable.js';

/** A text, and how many there were with it. */
export interface TextVersion {
  readonly number: number;
  readonly text: string;
}

/** Versions that stay, so that whoever has just listed them finds them. */
const KEPT_VERSIONS = 4;
/** Each lost attempt means that others made `KEPT_VERSIONS` versions meanwhile. */
const VERSION_ATTEMPTS = 10;

/** The version with the highest number in a folder; undefined where there is none. */
export async function readLatest(folder: string): Promise<TextVersion | undefined> {
  for (let attempt = 0; attempt < VERSION_ATTEMPTS; attempt += 1) {
    const number = Math.max(0, ...(await versionNumbers(folder)));
    if (number === 0) return undefined;
    const text = await readFile(join(folder, String(number)), 'utf8').catch(ifMissing);
    if (text !== undefined) return { number, text };
  }
  throw new Error(`The versions in ${folder} change faster than they can be read.`);
}

/**
 * Adds the version after `last`, in a folder that is made where it is missing. A file of each number is made once,
 * whichever processes try, so that no two go on from the same version: in other containers, too, where they do not see
 * each other. It is on the disk when this resolves.
 *
 * @param last the number that was read; 0 where there was none
 * @returns false when others have added one: nothing was added
 */
export async function addVersion(folder: string, last: number, text: string): Promise<boolean> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (last === 0) await syncFolder(dirname(folder));
  const own = last + 1;
  if (!(await createFile(folder, String(own), text))) return false;
  const all = await versionNumbers(folder);
  // Others have gone far ahead, and deleted the version of this number.
  if (Math.max(...all) > own) {
    await rm(join(folder, String(own)), { force: true });
    return false;
  }
  await syncFolder(folder);
  for (const number of all) if (number <= own - KEPT_VERSIONS) await rm(join(folder, String(number)), { force: true });
  return true;
}

async function versionNumbers(folder: string): Promise<number[]> {
  const names = (await readdir(folder).catch(ifMissing)) ?? [];
  return names.filter((name) => /^[1-9]\d{0,14}$/.test(name)).map(Number);
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
