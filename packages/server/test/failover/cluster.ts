import { cp, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Postgres } from '@countersign/embedded-postgres';
import pg from 'pg';
import { startEmbedded } from '../../src/store/embedded.js';
import { type Cable, layCable } from '../store/cable.js';

/** PostgreSQL servers on this machine, of which one may follow another. */
export class Clusters {
  readonly #folders: string[] = [];
  readonly #running = new Set<Postgres>();

  async folder(): Promise<string> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-failover-')));
    this.#folders.push(folder);
    return folder;
  }

  async start(dataDir: string): Promise<Postgres> {
    const embedded = await startEmbedded({ dataDir, workers: 1, log: () => {} });
    this.#running.add(embedded);
    return embedded;
  }

  /** Ends a server at once, as when its machine loses power; it is not started again. */
  async kill(dataDir: string, embedded: Postgres): Promise<void> {
    process.kill(await postmasterOf(join(dataDir, 'postgres/cluster')), 'SIGKILL');
    await this.stop(embedded);
  }

  async stop(embedded: Postgres): Promise<void> {
    this.#running.delete(embedded);
    await embedded.stop();
  }

  async end(): Promise<void> {
    await Promise.all([...this.#running].map((one) => one.stop()));
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true });
  }
}

/** The process id of the server on a cluster. */
async function postmasterOf(cluster: string): Promise<number> {
  return Number((await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** A standby that follows a primary for as long as the cable between them lets it. */
export interface Standby {
  /** What it follows the primary by. */
  readonly cable: Cable;
  /** Its connection string while it is a standby. */
  url(): Promise<string>;
  /** Resolves when it has all that the primary had stored when this was called. */
  caughtUp(): Promise<void>;
  /** Makes it the primary. */
  promote(): Promise<Postgres>;
}

/** Makes a standby of a running primary: a copy made in backup mode, and what is streamed from then on. */
export async function startStandby(clusters: Clusters, primary: Postgres, primaryDir: string): Promise<Standby> {
  const dataDir = await clusters.folder();
  const cable = await layCable(primary.url);
  await copied(primary.url, join(primaryDir, 'postgres'), join(dataDir, 'postgres'));
  const cluster = join(dataDir, 'postgres/cluster');
  await writeFile(join(cluster, 'standby.signal'), '');
  const { username, password, hostname, port } = new URL(cable.url);
  const conninfo = `host=${hostname} port=${port} user=${username} password=${password} sslmode=disable`;
  await writeFile(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
  const starting = clusters.start(dataDir);
  starting.catch(() => {});
  const status = async () => (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n');
  return {
    cable,
    async url() {
      const [, , , port, folder] = await status();
      const url = new URL(primary.url);
      url.searchParams.set('host', folder!);
      url.searchParams.set('port', port!);
      return url.href;
    },
    async caughtUp() {
      const [{ at }] = await asked(primary.url, 'select pg_current_wal_lsn()::text as at');
      const text = `select count(*)::int as there from pg_stat_replication where replay_lsn >= '${at}'`;
      await until(async () => (await asked(primary.url, text))[0].there > 0);
    },
    async promote() {
      await writeFile(join(cluster, 'promote'), '');
      process.kill(await postmasterOf(cluster), 'SIGUSR1');
      const promoted = await starting;
      await until(async () => !(await asked(promoted.url, 'select pg_is_in_recovery() as standby'))[0].standby);
      return promoted;
    },
  };
}

/** Copies a running server's folder, so that a server can be started on the copy. */
async function copied(url: string, from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('copy', fast => true)`);
    await copyFolder(from, to);
    const { rows } = await client.query('select labelfile from pg_backup_stop(wait_for_archive => false)');
    await writeFile(join(to, 'cluster/backup_label'), rows[0].labelfile);
    // What was written until the backup ended is needed to start.
    await cp(join(from, 'cluster/pg_wal'), join(to, 'cluster/pg_wal'), { recursive: true });
  } finally {
    await client.end();
  }
}

/** Copies the folder of a server, without what a running one has left there for itself. */
export async function copyFolder(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await cp(from, to, { recursive: true, filter: (path) => !path.endsWith('/postmaster.pid') });
      return;
    } catch (error) {
      // Files come and go while it runs.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === 5) throw error;
      await rm(to, { recursive: true, force: true });
    }
  }
}

/** Puts the copy of a folder in its place. */
export async function putBack(copy: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true });
  await copyFolder(copy, folder);
}

/** Runs a statement over a connection of its own. */
// biome-ignore lint/suspicious/noExplicitAny: rows of every shape
export async function asked(url: string, text: string): Promise<any[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

export async function until(holds: () => Promise<boolean>, milliseconds = 60_000): Promise<void> {
  const late = performance.now() + milliseconds;
  while (!(await holds())) {
    if (performance.now() > late) throw new Error('It did not come to be in time.');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
