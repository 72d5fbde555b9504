import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type BaseBackup, sumOf } from '@countersign/embedded-postgres';
import { readJson } from '@countersign/protocol';

/** The files of a backup. The master key is there where the operator asked for it. */
export const FILES = { base: 'base.tar', password: 'password', masterKey: 'master.key', manifest: 'manifest.json' };

/** Where a folder of backups keeps the write-ahead log of a database. */
export const walFolder = (folder: string, system: string): string => join(folder, 'wal', system);

/** Where it keeps what was shown of logs, as new as it may be: a log that goes back behind it is noticed. */
export const fenceFolder = (folder: string): string => join(folder, 'log-fence');

/** What a backup is, and how its files must look. */
export interface Manifest extends Pick<BaseBackup, 'system' | 'timeline' | 'start' | 'end'> {
  readonly format: 1;
  /** When the copy began, and when it ended: it can be restored to any moment from then on. */
  readonly began: string;
  readonly ended: string;
  /** The version of PostgreSQL. */
  readonly postgres: string;
  /** The build of Countersign. */
  readonly build: string;
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

/** A backup is not as it was made, or may not be; in words for the operator. */
export class BrokenBackup extends Error {
  override readonly name = 'BrokenBackup';
}

/**
 * Refuses a folder of backups that other users may write: a backup is trusted like a program, and its sums lie beside it.
 *
 * @param dataDir whose owner may own it, too: root restores what the user of the server has written
 * @param within folders of it that are looked at with all that they hold
 * @throws BrokenBackup
 */
export async function assertOwn(dataDir: string, folder: string, ...within: readonly string[]): Promise<void> {
  if (process.platform === 'win32') return;
  const find = (path: string) => stat(path).catch(() => undefined);
  const owners = [0, process.geteuid?.(), (await find(dataDir))?.uid];
  const paths = [folder, ...within];
  for (const path of within) {
    const names = await readdir(path, { recursive: true }).catch(() => []);
    paths.push(...names.map((name) => join(path, name)));
  }
  for (const path of paths) {
    const found = await find(path);
    if (found !== undefined && ((found.mode & 0o022) !== 0 || !owners.includes(found.uid)))
      throw new BrokenBackup(
        `${path} can be changed by other users, and a backup is trusted like a program: once you know that they have not, ` +
          `run chmod -R go-w ${folder}, and chown -R to your user`,
      );
  }
}

/** A backup in a folder of backups. Its name is when it was begun. */
const BACKUP_NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;

export function nameBackup(began: string): string {
  return began.replaceAll(':', '-');
}

/** When a backup was begun, by its name; in milliseconds. */
export function timeOfBackup(name: string): number {
  return Date.parse(name.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'));
}

/** The names of the backups of a folder, the oldest first. A backup gets its name when it is complete. */
export async function findBackups(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => BACKUP_NAME.test(name)).sort();
}

/** @throws BrokenBackup when it is missing, or is no manifest of this release */
export async function readManifest(backup: string): Promise<Manifest> {
  const path = join(backup, FILES.manifest);
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new BrokenBackup(`${backup} is not a complete backup: ${error.message}`);
  });
  const manifest = parseManifest(text);
  if (manifest === undefined) throw new BrokenBackup(`${path} was altered, or is of a later release`);
  return manifest;
}

function parseManifest(text: string): Manifest | undefined {
  try {
    const found = readJson(text) as Partial<Manifest> | null;
    const texts = [found?.began, found?.ended, found?.postgres, found?.start, found?.end, found?.system];
    const isWhole = texts.every((one) => typeof one === 'string') && Object.hasOwn(found?.files ?? {}, FILES.base);
    return isWhole && found?.format === 1 ? (found as Manifest) : undefined;
  } catch {
    return undefined;
  }
}

/** @throws BrokenBackup when a file is missing, or is not the one that was written */
export async function assertWhole(backup: string, { files }: Manifest): Promise<void> {
  for (const [name, { bytes, sha256 }] of Object.entries(files)) {
    const path = join(backup, name);
    const size = await stat(path).then(
      (found) => found.size,
      () => undefined,
    );
    if (size === undefined) throw new BrokenBackup(`The backup is incomplete: ${path} is missing`);
    if (size !== bytes || (await sumOf(path)) !== sha256) throw new BrokenBackup(`The backup was altered: ${path}`);
  }
}

/** Writes a file of a backup, for its owner only. @returns what its manifest says of it */
export async function writePart(path: string, text: string): Promise<{ bytes: number; sha256: string }> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  return { bytes: Buffer.byteLength(text), sha256: await sumOf(path) };
}
