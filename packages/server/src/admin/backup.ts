import { mkdir, mkdtemp, readdir, realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isKept, pruneWal, writeBaseBackup } from '@countersign/embedded-postgres';
import { fileExists, lockDataDir, syncFolder } from '@countersign/embedded-postgres/data-dir';
import {
  assertOwn,
  BrokenBackup,
  FILES,
  fenceFolder,
  findBackups,
  type Manifest,
  nameBackup,
  readManifest,
  walFolder,
  writePart,
} from '../backup/folder.js';
import { isWithin } from '../base/within.js';
import { BUILD } from '../cluster/build.js';
import { findKeys } from '../cluster/check.js';
import { type Config, type EnvironmentSettings, parseConfig } from '../config.js';
import { describeKeySource, masterKeyError } from '../keys/master-key.js';
import { copyFence } from '../log/fence.js';
import { type AdminDeps, onDatabase } from './database.js';
import { AdminRefused, UnusableHere, WrongCall } from './refusals.js';

export interface BackupCall {
  readonly settings: EnvironmentSettings;
  /** The folder of backups. */
  readonly folder: string;
  /** How many backups of this database are kept there, this one included. */
  readonly keep: number;
  readonly withMasterKey: boolean;
  readonly progress: (done: number, all: number) => void;
}

/** A backup that was made. */
export interface MadeBackup {
  readonly path: string;
  readonly ended: string;
  readonly bytes: number;
  /** Where the master key is kept; undefined where the backup holds it. */
  readonly masterKeyIn: string | undefined;
  /** Whether the log since is kept beside it, so that it can be restored to any later moment. */
  readonly isContinued: boolean;
  /** Earlier backups that were removed. */
  readonly removed: readonly string[];
}

const DRAFT = '.draft-';

/**
 * Copies the embedded PostgreSQL, with its server or without, to a folder of backups.
 *
 * @throws WrongCall where the folder or the deployment is none for it; UnusableHere; AdminRefused while another backup is made; as `onDatabase` does
 */
export async function runBackup(call: BackupCall): Promise<MadeBackup> {
  const config = parseConfig(call.settings);
  if (config.databaseUrl !== undefined)
    throw new WrongCall('DATABASE_URL names a database of yours: docs/operations/backup.md has how it is backed up.');
  const folder = await openFolder(call.folder, config);
  const lock = await lockDataDir(folder, 'The folder').catch((error: Error) => {
    throw new AdminRefused(`${error.message}.`);
  });
  try {
    return await onDatabase(call.settings, (deps) => backUp(deps, folder, call));
  } finally {
    await lock.release();
  }
}

/** @throws WrongCall; UnusableHere */
async function openFolder(path: string, { dataDir }: Config): Promise<string> {
  if (isWithin(dataDir, path)) throw new WrongCall(`${path} is in the data folder: name one on another disk.`);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await assertOwn(dataDir, path);
    return await realpath(path);
  } catch (error) {
    if (error instanceof BrokenBackup) throw new UnusableHere(`${error.message}.`);
    throw new UnusableHere(`${path} cannot be used: ${(error as Error).message}.`);
  }
}

async function backUp({ pool, url, config }: AdminDeps, folder: string, call: BackupCall): Promise<MadeBackup> {
  const [key, next] = call.withMasterKey ? await findKeys(config) : [];
  if (call.withMasterKey && key === undefined) throw masterKeyError(config);
  if (next !== undefined)
    throw new AdminRefused(
      'The master key is being replaced: back up without --with-master-key, or once that has ended.',
    );
  for (const name of await readdir(folder))
    if (name.startsWith(DRAFT)) await rm(join(folder, name), { recursive: true, force: true });
  const draft = await mkdtemp(join(folder, DRAFT));
  try {
    // First: what was shown by now belongs to commits that the copy has.
    await copyFence(join(config.dataDir, 'log-fence'), fenceFolder(folder), 'backup');
    const time = async () =>
      (
        await pool.query<{ at: Date; version: string }>(
          `select clock_timestamp() as at, current_setting('server_version') as version`,
        )
      ).rows[0]!;
    const { at: began, version } = await time();
    const { bytes, sha256, ...base } = await writeBaseBackup(url, join(draft, FILES.base), call.progress);
    const ended = (await time()).at.toISOString();
    const files = {
      [FILES.base]: { bytes, sha256 },
      [FILES.password]: await writePart(join(draft, FILES.password), decodeURIComponent(new URL(url).password)),
      ...(call.withMasterKey && {
        [FILES.masterKey]: await writePart(join(draft, FILES.masterKey), `${key!.toString('base64')}\n`),
      }),
    };
    const manifest: Manifest = {
      format: 1,
      began: began.toISOString(),
      ended,
      postgres: version,
      build: BUILD,
      ...base,
      files,
    };
    await writePart(join(draft, FILES.manifest), `${JSON.stringify(manifest, undefined, 2)}\n`);
    await syncFolder(draft);
    const path = join(folder, nameBackup(manifest.began));
    await rename(draft, path);
    await syncFolder(folder);
    return {
      path,
      ended,
      bytes,
      masterKeyIn: call.withMasterKey ? undefined : describeKeySource(config),
      isContinued: await isContinued(folder, manifest),
      removed: await removeOlder(folder, manifest.system, call.keep),
    };
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/** Milliseconds in which the server has copied what was written meanwhile. */
const COPY_WAIT = 20_000;

async function isContinued(folder: string, { system, timeline, end }: Manifest): Promise<boolean> {
  const wal = walFolder(folder, system);
  if (!(await fileExists(wal))) return false;
  for (let waited = 0; waited < COPY_WAIT; waited += 500) {
    if (await isKept(wal, timeline, end)) return true;
    await pause(500);
  }
  return false;
}

/** Removes the oldest backups of a database, and the log that only they need. */
async function removeOlder(folder: string, system: string, keep: number): Promise<string[]> {
  const own: { readonly name: string; readonly start: string }[] = [];
  for (const name of await findBackups(folder)) {
    const manifest = await readManifest(join(folder, name)).catch(() => undefined);
    // One that is broken is the operator's to look at.
    if (manifest?.system === system) own.push({ name, start: manifest.start });
  }
  const removed = own.slice(0, Math.max(0, own.length - keep));
  for (const { name } of removed) await rm(join(folder, name), { recursive: true });
  const oldest = own[removed.length];
  const wal = walFolder(folder, system);
  if (oldest !== undefined && (await fileExists(wal))) await pruneWal(wal, oldest.start);
  return removed.map(({ name }) => name);
}
