import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { clusterIn, readPassword } from './cluster.js';
import { connectionString } from './start.js';

/**
 * The connection string of the PostgreSQL that another process runs on `dataDir`; undefined where none answers. Do not log it:
 * it holds the owner's password.
 *
 * @param name as it was started with
 * @throws Error, in words for the operator, when the files belong to another user
 */
export async function findPostgres(dataDir: string, name: string): Promise<string | undefined> {
  const home = join(resolve(dataDir), 'postgres');
  const addresses = await listenAddresses(home);
  if (addresses.length === 0) return undefined;
  const password = await readPassword(home);
  for (const address of addresses) {
    const url = connectionString(name, address, password);
    if (await answers(url)) return url;
  }
  return undefined;
}

type Address = Parameters<typeof connectionString>[1];

/**
 * Where a PostgreSQL on these files listens, by its own word: it may be gone. Under systemd its folder for temporary files may be its own
 * (`PrivateTmp`): there it is found through the process, by the same user and by root.
 */
async function listenAddresses(home: string): Promise<Address[]> {
  let status: string;
  try {
    status = await readFile(join(clusterIn(home), 'postmaster.pid'), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    throw new Error(`${home} belongs to another user: run this as that user, or as root`);
  }
  const [pid, , , port, folder, host = '', , state] = status.split('\n').map((line) => line.trim());
  if (state !== 'ready') return [];
  const hosts = folder ? [folder, `/proc/${pid}/root${folder}`] : [host];
  return hosts.map((host) => ({ host, port: Number(port) }));
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // An error without a listener ends the process.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    // The status of a PostgreSQL that was killed says ready, too.
    if (
      ['ENOENT', 'ENOTDIR', 'EACCES', 'ECONNREFUSED', 'ECONNRESET'].includes(
        (error as NodeJS.ErrnoException).code ?? '',
      )
    )
      return false;
    throw error;
  }
}
