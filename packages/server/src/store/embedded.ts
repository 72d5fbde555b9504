import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { limits } from '../limits.js';
import { freeBytes } from './disk-space.js';
import { chooseAccount } from './embedded/account.js';
import { type Address, makeAddress } from './embedded/address.js';
import { findBinaries } from './embedded/binaries.js';
import { clusterIn, makeCluster, role } from './embedded/cluster.js';
import { openDataDir } from './embedded/data-dir.js';
import { keepRunning } from './embedded/keep.js';
import { findLaunch } from './embedded/launch.js';
import { stopLeftBehind } from './embedded/left-behind.js';
import { lockDataDir } from './embedded/lock.js';
import { type Server, startServer } from './embedded/server.js';
import { sessionSettings } from './embedded/settings.js';

/** Milliseconds until ready. Ordinarily one second; after a crash it replays at most `max_wal_size` of its log first. */
const patience = 300_000;
const interval = 20;

export interface EmbeddedOptions {
  /** The folder that holds everything the server keeps; made when missing. */
  readonly dataDir: string;
  /** Takes PostgreSQL's log, a line at a time. */
  readonly log: (line: string) => void;
  /** Takes what an operator must know: that it ended and is started again. */
  readonly alarm?: (text: string) => void;
}

/** A PostgreSQL of our own, ready for connections. */
export interface Embedded {
  /** A connection string for the database, with the owner's password in it: never to be logged. */
  readonly url: string;
  /** Stops it cleanly and gives the data directory up. A second call waits for the first. */
  stop(): Promise<void>;
  /** Resolves, with the reason, when PostgreSQL ends without `stop` again and again; never otherwise. */
  readonly exited: Promise<Error>;
}

/**
 * Starts our own PostgreSQL on `DATA_DIR/postgres`, made on the first start: durable, reached through a socket (or the
 * loopback address on Windows), as root and as an ordinary user. One that a killed server left running is stopped
 * first; all it had committed is there. One that ends by itself is started again (`keepRunning`).
 *
 * @throws Error, in words for the operator, when another server uses the directory, or PostgreSQL cannot run here
 */
export async function startEmbedded({ dataDir, log, alarm = log }: EmbeddedOptions): Promise<Embedded> {
  const root = await openDataDir(dataDir);
  const lock = await lockDataDir(root);
  let address: Address | undefined;
  try {
    const home = join(root, 'postgres');
    const account = await chooseAccount(home);
    const binaries = await findBinaries();
    await stopLeftBehind(clusterIn(home), log);
    address = await makeAddress(root, account);
    const launch = await findLaunch(account, binaries.postgres, [root, ...address.folders]);
    const password = await makeCluster(home, binaries.initdb, launch, account);
    const place = { root, cluster: clusterIn(home), url: connectionString(role, address, password) };
    const at = address;
    const start = () => startServer(binaries, launch, home, at, log);
    return await handOver(start, place, { log, alarm }, async () => {
      await at.close();
      await lock.release();
    });
  } catch (error) {
    await address?.close();
    await lock.release();
    throw error;
  }
}

/** Where a PostgreSQL lives, and how its database is reached. */
interface Place {
  readonly root: string;
  readonly cluster: string;
  readonly url: string;
}

async function handOver(
  start: () => Server,
  { root, cluster, url }: Place,
  { log, alarm }: Required<Pick<EmbeddedOptions, 'log' | 'alarm'>>,
  letGo: () => Promise<void>,
): Promise<Embedded> {
  const ready = async (server: Server) => {
    try {
      await untilReady(server, cluster, inDatabase('postgres', url));
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  };
  const kept = keepRunning(await ready(start()), {
    again: async (began) => {
      await stopLeftBehind(cluster, log);
      const server = start();
      began(server);
      await ready(server);
    },
    isFull: async (said) => FULL.test(said) || (await freeBytes(root)) < limits.freeDisk.start,
    alarm,
    now: () => performance.now(),
  });
  let stopping: Promise<void> | undefined;
  return {
    url,
    exited: kept.exited,
    stop: () => {
      stopping ??= kept.stop().then(letGo);
      return stopping;
    },
  };
}

/** How the system says that nothing more can be written. */
const FULL = /No space left on device|Disk quota exceeded|File too large/;

function inDatabase(name: string, url: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

function connectionString(database: string, { host, port }: Address, password: string): string {
  const options = Object.entries(sessionSettings).map(([name, value]) => `-c ${name}=${value}`);
  // The host in the query wins over the other, which only makes it an address that every parser takes.
  const query = { host, port, sslmode: 'disable', options: options.join(' ') };
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `postgresql://${role}:${password}@localhost/${database}?${pairs.join('&')}`;
}

/** Waits until PostgreSQL answers, and makes the database unless it is there. */
async function untilReady(server: Server, cluster: string, url: string): Promise<void> {
  const late = AbortSignal.timeout(patience);
  while (server.running() && !late.aborted) {
    // Its own word first: a connection before that would be an error in its log.
    if (await saysReady(cluster)) {
      const done = await makeDatabase(url).catch(early);
      if (done) return;
    }
    await pause(interval);
  }
  const why = late.aborted ? `not ready within ${patience} ms` : await server.ended;
  throw new Error(`PostgreSQL did not start (${why}):\n${server.lastWords()}`);
}

async function saysReady(cluster: string): Promise<boolean> {
  const status = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  return /^ready\s*$/m.test(status);
}

/** A file that a killed PostgreSQL left says ready too. What is not a sign of that will not go away by waiting. */
function early(error: Error & { code?: string }): false {
  if (['ENOENT', 'ECONNREFUSED', 'ECONNRESET', '57P03'].includes(error.code ?? '')) return false;
  throw error;
}

async function makeDatabase(url: string): Promise<true> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: patience });
  // A lost connection fails the query under way as well; without a listener it would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [role]);
    if (rowCount === 0) await client.query(`create database ${role}`);
    return true;
  } finally {
    await client.end();
  }
}
