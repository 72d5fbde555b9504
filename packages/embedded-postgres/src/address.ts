import { createHash } from 'node:crypto';
import { lstat, mkdir, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, giveOne } from './account.js';

/** The address that the embedded PostgreSQL listens on. */
export interface ListenAddress {
  /** A folder with its socket, or an IP address. */
  readonly host: string;
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
  /** Folders that PostgreSQL must be able to enter. */
  readonly folders: string[];
  /** Removes the folder of the socket; to be called when PostgreSQL has ended. */
  close(): Promise<void>;
}

/** Bytes of the longest socket path that every system allows; Linux allows four more. */
const longest = 103;

/** The port is only part of a socket's name. */
const SOCKET_PORT = 5432;

/**
 * Makes the address of the embedded PostgreSQL: a socket in a folder that only its account may enter, so the network
 * stays closed. The folder is in the system's folder for temporary files, as the path of a socket must be short; its
 * name follows from the data directory, so a start finds and clears what a killed server left there.
 *
 * On Windows it is a free port of the loopback address.
 *
 * @param name the beginning of the folder's name
 * @throws Error when another user has a folder of that name
 */
export async function makeAddress(dataDir: string, name: string, account?: Account): Promise<ListenAddress> {
  if (process.platform === 'win32') return loopback();
  const { dev, ino } = await lstat(dataDir);
  const id = createHash('sha256').update(`${dataDir}\n${dev}\n${ino}`).digest('hex').slice(0, 16);
  const fits = (folder: string) => Buffer.byteLength(join(folder, `.s.PGSQL.${SOCKET_PORT}`)) <= longest;
  const folder = [tmpdir(), '/tmp'].map((temporary) => join(temporary, `${name}-${id}`)).find(fits);
  if (folder === undefined) throw new Error(`no folder for a socket: set TMPDIR to a path shorter than ${tmpdir()}`);
  await clear(folder, account);
  await mkdir(folder, { mode: 0o700 });
  await giveOne(folder, account);
  return {
    host: folder,
    port: SOCKET_PORT,
    settings: {
      listen_addresses: '',
      unix_socket_directories: folder,
      unix_socket_permissions: '0700',
      port: `${SOCKET_PORT}`,
    },
    folders: [folder],
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/**
 * Removes the folder of a killed server. Any user may make a folder in a shared place, so only an own one is removed.
 */
async function clear(folder: string, account: Account | undefined): Promise<void> {
  const found = await lstat(folder).catch(() => undefined);
  if (found === undefined) return;
  const ours = [process.geteuid?.(), account?.uid].includes(found.uid);
  if (!ours || !found.isDirectory()) {
    throw new Error(`${folder} belongs to somebody else: remove it, or set TMPDIR to a folder of your own`);
  }
  await rm(folder, { recursive: true, force: true });
}

async function loopback(): Promise<ListenAddress> {
  const host = '127.0.0.1';
  const server = createServer();
  const free = await new Promise<number>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, () => resolve((server.address() as AddressInfo).port));
  });
  await new Promise((resolve) => server.close(resolve));
  return {
    host,
    port: free,
    settings: { listen_addresses: host, port: `${free}` },
    folders: [],
    close: async () => {},
  };
}
