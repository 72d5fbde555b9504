import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Account, giveOne } from './account.js';
import { fileExists, syncFolder, writeDurably } from './files.js';
import { type Launch, runInitdb } from './launch.js';
import { readOwnFile } from './own-file.js';

/** Paths in the folder of PostgreSQL's files. */
export const clusterIn = (home: string): string => join(home, 'cluster');
export const passwordIn = (home: string): string => join(home, 'password');

/**
 * Makes the database cluster in `home` if it is missing: as a draft beside it that is renamed at the very end, so that
 * an interrupted start leaves a draft rather than a broken cluster.
 *
 * @param role owns the cluster
 * @returns the password of the role
 * @throws Error when `home` holds something else, or initdb fails
 */
export async function makeCluster(
  home: string,
  role: string,
  initdb: string,
  launch: Launch,
  account?: Account,
): Promise<string> {
  const drafts = `${basename(home)}.draft-`;
  for (const name of await readdir(dirname(home))) {
    // The initdb of a killed start may still be writing into it.
    if (name.startsWith(drafts)) await rm(join(dirname(home), name), { recursive: true, maxRetries: 5 });
  }
  if (!(await fileExists(home))) {
    const draft = await mkdtemp(join(dirname(home), drafts));
    await fillCluster(draft, role, initdb, launch, account);
    await rename(draft, home);
    await syncFolder(dirname(home));
  }
  if (!(await fileExists(join(clusterIn(home), 'PG_VERSION')))) {
    throw new Error(`${home} is not a database that this server made: move it away, or use another data directory`);
  }
  return readPassword(home);
}

/** The password of the role that owns the cluster. @throws as `readOwnFile` does */
export async function readPassword(home: string): Promise<string> {
  return (await readOwnFile(home, passwordIn(home))).trim();
}

/** The files that say how PostgreSQL runs, and whom it lets in. */
const SETTINGS = ['postgresql.conf', 'postgresql.auto.conf', 'pg_hba.conf', 'pg_ident.conf'];

/** Puts the settings that initdb makes in the place of those of a cluster: some of them are commands, and a backup may be anyone's. */
export async function renewSettings(home: string, initdb: string, launch: Launch, account?: Account): Promise<void> {
  const fresh = await mkdtemp(`${home}-`);
  try {
    await fillCluster(fresh, 'postgres', initdb, launch, account);
    for (const name of SETTINGS)
      await writeDurably(join(clusterIn(home), name), await readOwnFile(fresh, join(clusterIn(fresh), name)), 0o600);
  } finally {
    await rm(fresh, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function fillCluster(
  draft: string,
  role: string,
  initdb: string,
  launch: Launch,
  account?: Account,
): Promise<void> {
  await writeDurably(passwordIn(draft), `${randomBytes(24).toString('hex')}\n`, 0o600);
  await mkdir(clusterIn(draft), { mode: 0o700 });
  for (const path of [passwordIn(draft), clusterIn(draft), draft]) await giveOne(path, account);
  await runInitdb(launch, initdb, [
    ...['--pgdata', clusterIn(draft)],
    ...['--username', role],
    ...['--pwfile', passwordIn(draft)],
    ...['--auth', 'scram-sha-256'],
    // Text sorts by code point, the same on every machine and after every upgrade.
    ...['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
    '--data-checksums',
  ]);
  await syncFolder(draft);
}
