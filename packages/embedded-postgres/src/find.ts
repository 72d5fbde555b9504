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
  const address = await listenAddress(home);
  if (address === undefined) return undefined;
  const url = connectionString(name, address, await readPassword(home));
  return (await answers(url)) ? url : undefined;
}

/** Where a PostgreSQL on these files listens, by its own word: it may be gone. */
async function listenAddress(home: string): Promise<{ readonly host: string; readonly port: number } | undefined> {
  let status: string;
  try {
    status = await readFile(join(clusterIn(home), 'postmaster.pid'), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    throw new Error(`${home} belongs to another user: run this as that user, or as root`);
  }
  const [, , , port = '', folder = '', host = '', , state = ''] = status.split('\n').map((line) => line.trim());
  return state === 'ready' ? { host: folder || host, port: Number(port) } : undefined;
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
    if (['ENOENT', 'ECONNREFUSED', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
