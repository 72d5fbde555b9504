import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { root } from '../../../../scripts/root.mjs';

/** Data directories of a stopped PostgreSQL, to copy. */
export interface Clusters {
  /** After a first start of the service. */
  readonly made: string;
  /** With the schema in a database of its own. */
  readonly migrated: string;
}

/** Kept between runs: making the clusters takes most of the time of a run of one file. `npm ci` removes it. */
const CACHE = join(root, 'node_modules/.cache/countersign-clusters');

/** What the clusters are made of. */
const SOURCES = [
  'packages/embedded-postgres/src',
  'packages/server/sql',
  'packages/server/src/store/embedded.ts',
  'packages/server/src/store/database-limits.ts',
  'packages/server/test/support/database.ts',
  'package-lock.json',
];

/**
 * The clusters as an earlier run has made them, or as `make` makes them now.
 *
 * @param make fills the folders of both, which exist
 */
export async function cachedClusters(make: (made: string, migrated: string) => Promise<void>): Promise<Clusters> {
  const folder = join(CACHE, await digestSources());
  const names = { made: join(folder, 'made'), migrated: join(folder, 'migrated') };
  if (await isFolder(folder)) return names;
  await mkdir(CACHE, { recursive: true });
  await removeOutdated();
  // It gets its name when it is complete.
  const fresh = await mkdtemp(join(CACHE, 'new-'));
  try {
    // PostgreSQL runs as another user than root.
    await chmod(fresh, 0o711);
    await mkdir(join(fresh, 'made'), { mode: 0o711 });
    await mkdir(join(fresh, 'migrated'), { mode: 0o711 });
    await make(join(fresh, 'made'), join(fresh, 'migrated'));
    await rename(fresh, folder).catch((error: NodeJS.ErrnoException) => {
      // A run beside this one was first: its clusters are as good.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return names;
}

/** Removes those that no run can be making or copying any more. */
async function removeOutdated(): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const folder = join(CACHE, name);
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > OUTDATED) await rm(folder, { recursive: true, force: true });
  }
}

/** Milliseconds. */
const OUTDATED = 24 * 3_600_000;

/** Copies the PostgreSQL of a data directory, which is stopped, to another one; its files keep their owner. */
export function copyCluster(from: string, to: string): void {
  const cluster = join(from, 'postgres');
  if (process.platform === 'win32') cpSync(cluster, join(to, 'postgres'), { recursive: true });
  else execFileSync('cp', ['-a', cluster, to]);
}

async function digestSources(): Promise<string> {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${process.getuid?.()}`);
  // The schema remembers the names of its migrations.
  for (const source of SOURCES)
    for (const file of await filesOf(join(root, source)))
      hash.update(`\n${relative(root, file)}\n`).update(await readFile(file));
  return hash.digest('hex').slice(0, 16);
}

async function filesOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => undefined);
  if (!entries) return [path];
  return entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : [])).sort();
}

async function isFolder(path: string): Promise<boolean> {
  return (await readdir(path).catch(() => undefined)) !== undefined;
}
