import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { chooseAccount } from './account.js';
import { type ListenAddress, makeAddress } from './address.js';
import { findBinaries } from './binaries.js';
import { CannotRunHere } from './cannot-run-here.js';
import { clusterIn, makeCluster } from './cluster.js';
import { openDataDir } from './data-dir.js';
import { freeBytes } from './files.js';
import { keepRunning, type RestartBounds } from './keep.js';
import { findLaunch } from './launch.js';
import { stopLeftBehind } from './left-behind.js';
import { lockDataDir } from './lock.js';
import { type PostgresServer, startServer } from './server.js';
import { LEAST_CONNECTIONS, MOST_CONNECTIONS, sessionSettings } from './settings.js';

/**
 * Milliseconds until ready. Ordinarily one second; after a crash it replays at most `max_wal_size` of its log first.
 */
const startTimeout = 300_000;
const readyPollInterval = 20;

/** Names that are valid in SQL unquoted, and fit into the path of a socket. */
const PLAIN_NAME = /^[a-z][a-z0-9]{0,19}$/;

export interface PostgresOptions {
  /** The folder that holds everything the program keeps; made when missing. PostgreSQL is in `postgres` below it. */
  readonly dataDir: string;
  /** Names the database, the role that owns it, and the folder of the socket: at most 20 lower-case letters and digits. */
  readonly name: string;
  /** Takes PostgreSQL's log, a line at a time. */
  readonly log: (line: string) => void;
  /** Takes messages for the operator: that it ended and is restarted. As `log` unless given. */
  readonly alarm?: (text: string) => void;
  /** Connections that there may be at a time: 100 unless given, and never fewer; 10,000 at most. */
  readonly connections?: number;
  /** Settings in place of `postgresSettings`, as for a database that may be lost. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly restarts: RestartBounds;
  /** Bytes of free disk below which restarts stay uncounted. */
  readonly leastFree: number;
  /** The name of the setting that holds `dataDir`, for errors. */
  readonly dataDirSetting?: string;
  /** Advice in errors where PostgreSQL cannot run: how to use an external one, as `set DATABASE_URL to yours`. */
  readonly alternative?: string;
}

/** A running PostgreSQL, ready for connections. */
export interface Postgres {
  /** A connection string for the database. Do not log it: it holds the owner's password. */
  readonly url: string;
  /** Stops it cleanly and unlocks the data directory. A second call waits for the first. */
  stop(): Promise<void>;
  /** Resolves, with the reason, only when PostgreSQL ends unasked again and again. */
  readonly exited: Promise<Error>;
}

/**
 * Starts a PostgreSQL on `dataDir`, which is made on the first start: durable, reached through a socket (or the
 * loopback address on Windows), as root and as an ordinary user. One that a killed process left running is stopped
 * first, with all its commits kept. One that ends by itself is restarted (`keepRunning`).
 *
 * @throws TypeError when the name, or the number of connections, is invalid
 * @throws Error, in words for the operator, when another process uses the directory, or PostgreSQL cannot run here
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { name, settings = {}, log, alternative, dataDirSetting = 'the data directory' } = options;
  if (!PLAIN_NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} cannot name a database`);
  const connections = Math.max(LEAST_CONNECTIONS, options.connections ?? 0);
  if (!Number.isInteger(connections) || connections > MOST_CONNECTIONS) {
    throw new TypeError(`${options.connections} cannot be a number of connections`);
  }
  const root = await openDataDir(options.dataDir, dataDirSetting);
  const lock = await lockDataDir(root, dataDirSetting);
  let address: ListenAddress | undefined;
  try {
    const home = join(root, 'postgres');
    const account = await chooseAccount(home);
    const binaries = await findBinaries();
    await stopLeftBehind(clusterIn(home), log);
    address = await makeAddress(root, name, account);
    const launch = await findLaunch(account, binaries.postgres, [root, ...address.folders]);
    const password = await makeCluster(home, name, binaries.initdb, launch, account);
    const place = { root, cluster: clusterIn(home), url: connectionString(name, address, password) };
    const at = address;
    const start = () => startServer(binaries, launch, home, at, { connections, settings, log });
    return await superviseServer(start, place, options, async () => {
      await at.close();
      await lock.release();
    });
  } catch (error) {
    await address?.close();
    await lock.release();
    throw error instanceof CannotRunHere && alternative !== undefined ? error.or(alternative) : error;
  }
}

/** The folders of a PostgreSQL, and the URL of its database. */
interface ClusterLocation {
  readonly root: string;
  readonly cluster: string;
  readonly url: string;
}

async function superviseServer(
  start: () => PostgresServer,
  { root, cluster, url }: ClusterLocation,
  { name, log, alarm = log, restarts, leastFree }: PostgresOptions,
  letGo: () => Promise<void>,
): Promise<Postgres> {
  const ready = async (server: PostgresServer) => {
    try {
      await untilReady(server, cluster, name, inDatabase('postgres', url));
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  };
  const kept = keepRunning(await ready(start()), {
    bounds: restarts,
    again: async (began) => {
      await stopLeftBehind(cluster, log);
      const server = start();
      began(server);
      await ready(server);
    },
    isFull: async (said) => DISK_FULL.test(said) || (await freeBytes(root)) < leastFree,
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

/** Errors of the system for a full disk. */
const DISK_FULL = /No space left on device|Disk quota exceeded|File too large/;

function inDatabase(name: string, url: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

/** @param name of the database and of the role */
export function connectionString(
  name: string,
  { host, port }: Pick<ListenAddress, 'host' | 'port'>,
  password: string,
): string {
  const options = Object.entries(sessionSettings).map(([name, value]) => `-c ${name}=${value}`);
  // The host of the query takes precedence; the other one only makes the URL valid for every parser.
  const query = { host, port, sslmode: 'disable', options: options.join(' ') };
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `postgresql://${name}:${password}@localhost/${name}?${pairs.join('&')}`;
}

/** Waits until PostgreSQL answers, and makes the database `name` if it is missing. `url` leads to another one. */
async function untilReady(server: PostgresServer, cluster: string, name: string, url: string): Promise<void> {
  const late = AbortSignal.timeout(startTimeout);
  while (server.running() && !late.aborted) {
    // Its own status first: an earlier connection would be an error in its log.
    if (await saysReady(cluster)) {
      const done = await makeDatabase(name, url).catch(early);
      if (done) return;
    }
    await pause(readyPollInterval);
  }
  const why = late.aborted ? `not ready within ${startTimeout} ms` : await server.ended;
  throw new Error(`PostgreSQL did not start (${why}):\n${server.lastWords()}`);
}

async function saysReady(cluster: string): Promise<boolean> {
  const status = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  return /^ready\s*$/m.test(status);
}

/**
 * The status file of a killed PostgreSQL says ready too, so errors of a server that is still starting are retried; any
 * other is thrown.
 */
function early(error: Error & { code?: string }): false {
  if (['ENOENT', 'ECONNREFUSED', 'ECONNRESET', '57P03'].includes(error.code ?? '')) return false;
  throw error;
}

async function makeDatabase(name: string, url: string): Promise<true> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: startTimeout });
  // A lost connection fails the query under way as well; an error without a listener ends the process.
  client.on('error', () => {});
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${name}`);
    return true;
  } finally {
    await client.end();
  }
}
