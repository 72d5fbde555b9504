import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  CannotRestore,
  findMajor,
  leadsTo,
  type Restored,
  type RestoreOptions,
  restorePostgres,
} from '@countersign/embedded-postgres';
import {
  fileExists,
  findLockHolder,
  isLockFile,
  openDataDir,
  writeOnce,
} from '@countersign/embedded-postgres/data-dir';
import {
  assertOwn,
  assertWhole,
  BrokenBackup,
  FILES,
  fenceFolder,
  findBackups,
  type Manifest,
  readManifest,
  walFolder,
} from '../backup/folder.js';
import { type EnvironmentSettings, parseConfig } from '../config.js';
import type { NumberedKey } from '../keys/keyring.js';
import { keyCheck, loadMasterKeys } from '../keys/master-key.js';
import { copyFence } from '../log/fence.js';
import { findMasterKeys } from '../store/deployment/master-keys.js';
import { EMBEDDED_NAME } from '../store/embedded.js';
import { createPool } from '../store/pool.js';
import { AdminRefused, UnusableHere, WrongCall } from './refusals.js';

export interface RestoreCall {
  readonly settings: EnvironmentSettings;
  /** The folder of backups. */
  readonly folder: string;
  /** An instant; undefined for all that is kept. */
  readonly to: string | undefined;
  readonly timeline: number | undefined;
  readonly progress: RestoreOptions['progress'];
}

/** What was restored. */
export interface RestoredBackup extends Restored {
  /** The backup that was taken, by its path. */
  readonly backup: string;
  readonly dataDir: string;
  /** Whether the log kept since was replayed, or the backup alone restored. */
  readonly isContinued: boolean;
  /** Numbers of the master keys that the database is sealed under, and that are missing; null where it could not be asked. */
  readonly missingKeys: readonly number[] | null;
}

/** What may be in the folder: what an operator puts there before, and what file systems do. */
const EXPECTED = ['log-fence', 'master.key', 'master.key.next', 'lost+found'];

/**
 * Restores the embedded PostgreSQL of a backup into an empty data folder, to the end of what is kept or to a moment before.
 *
 * @throws WrongCall where the folder, the moment or the timeline leads to no backup; UnusableHere; AdminRefused while a server runs
 */
export async function runRestore({ settings, folder, to, timeline, progress }: RestoreCall): Promise<RestoredBackup> {
  const config = parseConfig(settings);
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== undefined)
    throw new WrongCall('DATABASE_URL names a database of yours: docs/operations/backup.md has how it is restored.');
  await assertEmpty(dataDir);
  try {
    const { backup, manifest } = await chooseBackup(folder, to, timeline);
    const wal = walFolder(folder, manifest.system);
    await assertOwn(dataDir, folder, backup, dirname(wal), fenceFolder(folder));
    await assertWhole(backup, manifest);
    const root = await openDataDir(dataDir, 'DATA_DIR');
    const isContinued = await fileExists(wal);
    if (!isContinued && to !== undefined)
      throw new WrongCall(`No write-ahead log is kept in ${folder}: the backup can be restored without --to only.`);
    // First: with these alone the folder still counts as empty, so that what fails can be tried again.
    await restoreKey(backup, manifest, root);
    const held = new Set((await loadMasterKeys(config)).map(keyCheck));
    let missingKeys: readonly number[] | null = null;
    await copyFence(fenceFolder(folder), join(root, 'log-fence'), 'restored');
    const restored = await restorePostgres({
      dataDir: root,
      name: EMBEDDED_NAME,
      dataDirSetting: 'DATA_DIR',
      tar: join(backup, FILES.base),
      password: await readFile(join(backup, FILES.password), 'utf8'),
      start: manifest.start,
      async replayed(url) {
        const known = await findDatabaseKeys(url).catch(() => undefined);
        missingKeys = known?.filter(({ check }) => !held.has(check)).map(({ number }) => number) ?? null;
      },
      progress,
      ...(isContinued && { wal }),
      ...(to !== undefined && { to }),
      ...(timeline !== undefined && { timeline }),
    });
    return { ...restored, backup, dataDir: root, isContinued, missingKeys };
  } catch (error) {
    if (error instanceof CannotRestore || error instanceof BrokenBackup) throw new UnusableHere(`${error.message}.`);
    throw error;
  }
}

/** @throws AdminRefused when a server uses the folder; UnusableHere when there is anything in it that a restore would mix with */
async function assertEmpty(dataDir: string): Promise<void> {
  const found = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new UnusableHere(`${dataDir} cannot be used: ${error.message}.`);
  });
  const holder = await findLockHolder(dataDir).catch(() => undefined);
  if (holder !== undefined) throw new AdminRefused(`A server uses ${dataDir} (process ${holder}): stop it first.`);
  if (found.some((name) => !EXPECTED.includes(name) && !isLockFile(name)))
    throw new UnusableHere(`${dataDir} is not empty: move it away first, and only its log-fence back.`);
}

/** The newest backup that ended before the moment, and that leads to the timeline. @throws WrongCall; BrokenBackup */
async function chooseBackup(
  folder: string,
  to: string | undefined,
  timeline: number | undefined,
): Promise<{ backup: string; manifest: Manifest }> {
  const names = await findBackups(folder).catch((error: Error) => {
    throw new WrongCall(`${folder} cannot be read: ${error.message}.`);
  });
  if (names.length === 0) throw new WrongCall(`There is no backup in ${folder}.`);
  let isLeft = false;
  for (const name of names.reverse()) {
    const backup = join(folder, name);
    const manifest = await readManifest(backup);
    if (to !== undefined && manifest.ended > to) continue;
    isLeft = true;
    if (!(await leadsTo(walFolder(folder, manifest.system), manifest, timeline))) continue;
    await assertSameMajor(manifest);
    return { backup, manifest };
  }
  if (!isLeft) throw new WrongCall(`The backups in ${folder} are later than ${to}.`);
  throw new WrongCall(
    `No backup in ${folder} leads to ${timeline === undefined ? 'the newest timeline' : `timeline ${timeline}`}: name another one ` +
      'with --timeline.',
  );
}

async function assertSameMajor({ postgres }: Manifest): Promise<void> {
  const [major, ours] = [Number.parseInt(postgres, 10), await findMajor()];
  if (major === ours) return;
  throw new UnusableHere(
    `The backup is of PostgreSQL ${major}, and this release has ${ours}: restore it with the release that made it.`,
  );
}

/** A key that is there already stays: it may be one that has replaced that of the backup. */
async function restoreKey(backup: string, { files }: Manifest, root: string): Promise<void> {
  if (!Object.hasOwn(files, FILES.masterKey)) return;
  await writeOnce(join(root, 'master.key'), await readFile(join(backup, FILES.masterKey), 'utf8'), 0o600);
}

/** The master keys of the database. */
async function findDatabaseKeys(url: string): Promise<NumberedKey[]> {
  const pool = createPool({ connectionString: url, max: 1 }, () => {});
  try {
    return await findMasterKeys(pool);
  } finally {
    await pool.end();
  }
}
