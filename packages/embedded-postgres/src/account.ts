import { lchown, lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CannotRunHere } from './cannot-run-here.js';

/** The user that PostgreSQL runs as and that owns its files. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The account to run PostgreSQL under. PostgreSQL refuses to run as root; for root it is the owner of the existing
 * files, else `postgres` or `nobody`.
 *
 * @param home the folder of PostgreSQL's files, which may be missing
 * @returns undefined to run it as the current user
 * @throws Error when the files belong to another user and this one is not root; CannotRunHere when root finds no other
 *   user
 */
export async function chooseAccount(home: string): Promise<Account | undefined> {
  const self = process.geteuid?.();
  if (self === undefined) return undefined;
  const owner = await lstat(home).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (self !== 0) {
    if (owner === undefined || owner.uid === self) return undefined;
    throw new Error(`${home} belongs to the user with id ${owner.uid}: start the server as that user, or as root`);
  }
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const account = await getUnprivilegedAccount();
  // Files of root are a copy that root made or restored.
  if (owner !== undefined) await giveAll(home, account);
  return account;
}

/** Gives one file or folder to the account; an undefined account leaves it as it is. A link is not followed. */
export async function giveOne(path: string, account: Account | undefined): Promise<void> {
  if (account === undefined) return;
  await lchown(path, account.uid, account.gid).catch((error: Error) => {
    throw new CannotRunHere(
      `root cannot run PostgreSQL under the user with id ${account.uid} here (${error.message})`,
      'start the server as an ordinary user',
    );
  });
}

/** Gives a folder, with all that is in it, to the account. */
export async function giveAll(path: string, account: Account): Promise<void> {
  const status = await lstat(path);
  await lchown(path, account.uid, account.gid);
  if (!status.isDirectory()) return;
  for (const name of await readdir(path)) await giveAll(join(path, name), account);
}

async function getUnprivilegedAccount(): Promise<Account> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find(([name]) => name === wanted) ?? [];
    if (Number(uid) > 0 && Number(gid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new CannotRunHere(
    'PostgreSQL does not run as root, and there is no user `postgres` or `nobody` to run it as',
    'start the server as an ordinary user',
  );
}
