import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import pg from 'pg';
import type { ListenAddress } from './address.js';
import { clusterIn, readPassword } from './cluster.js';
import { readOwnFile } from './own-file.js';
import { connectionString } from './start.js';

/**
 * The connection string of the PostgreSQL that another process runs on `dataDir`; undefined where none answers. Do not log it:
 * it holds the owner's password.
 *
 * @param name as it was started with
 * @throws Error, in words for the operator, when the files belong to another user; what connecting fails with, where one listens
 */
export async function findPostgres(dataDir: string, name: string): Promise<string | undefined> {
  const home = join(resolve(dataDir), 'postgres');
  const addresses = await listenAddresses(home);
  if (addresses.length === 0) return undefined;
  const password = await readPassword(home);
  let told: unknown;
  for (const address of addresses) {
    const url = connectionString(name, address, password);
    const error = await connectionFault(url);
    if (error === undefined) return url;
    if (!NOBODY_LISTENS.includes((error as NodeJS.ErrnoException).code ?? '')) told ??= error;
  }
  if (told !== undefined) throw told;
  return undefined;
}

/**
 * Where a PostgreSQL on these files listens, by its own word: it may be gone. Under systemd its folder for temporary files may be its own
 * (`PrivateTmp`): there it is found through the process, by the same user and by root.
 */
async function listenAddresses(home: string): Promise<Pick<ListenAddress, 'host' | 'port'>[]> {
  let status: string;
  let owner: number;
  try {
    owner = (await lstat(home)).uid;
    status = await readOwnFile(home, join(clusterIn(home), 'postmaster.pid'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    throw new Error(`${home} belongs to another user: run this as that user, or as root`);
  }
  const [pid, , , port, folder, host = '', , state] = status.split('\n').map((line) => line.trim());
  if (state !== 'ready') return [];
  if (!folder) return [{ host, port: Number(port) }];
  const seen = await Promise.all([`/proc/${pid}/root${folder}`, folder].map((path) => ifOwned(path, owner)));
  return seen.flat().map((host) => ({ host, port: Number(port) }));
}

/**
 * The folder of a socket, where PostgreSQL's user owns it. Its name can be computed, and any user may make a folder of that name where
 * temporary files are: whoever listens there would be told the password.
 */
async function ifOwned(folder: string, owner: number): Promise<string[]> {
  const found = await lstat(folder).catch(() => undefined);
  return found?.isDirectory() && found.uid === owner ? [folder] : [];
}

/** What connecting fails with where nobody listens. The status of a PostgreSQL that was killed says ready, too. */
const NOBODY_LISTENS = ['ENOENT', 'ENOTDIR', 'EACCES', 'ECONNREFUSED', 'ECONNRESET'];

/** @returns why not; undefined where it answers */
async function connectionFault(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // An error without a listener ends the process.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return undefined;
  } catch (error) {
    return error;
  }
}
