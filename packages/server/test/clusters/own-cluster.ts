import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import {
  findCitus,
  runAsPostgres,
  startCluster,
  startNode,
  stopCluster,
  stopNode,
} from '../../../../scripts/citus.mjs';
import { migrate } from '../../src/store/migrate.js';
import { createPool } from '../../src/store/pool.js';
import type { TestClient } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { closeSql, runSql } from '../support/sql.js';

/** Whether tests may start clusters of their own: an installed PostgreSQL has Citus, and the run is about clusters. */
export const HAS_CITUS = process.env.CITUS_TEST_URL !== undefined && findCitus() !== undefined;

/** A cluster that one file has to itself, with two workers. */
export interface OwnCluster {
  readonly database: TestDatabase;
  /** Ports of the nodes, the coordinator's first. */
  readonly ports: readonly number[];
  stop(node: number): void;
  start(node: number): void;
  /** Keeps a copy of the folder of a node that is stopped. */
  copy(node: number): void;
  /** Puts the copy in its place; as that of a standby, which the next `promote` makes a primary, where that is asked for. */
  putBack(node: number, as?: 'standby'): void;
  promote(node: number): void;
  /** Has a node fall silent: it takes connections, and answers nothing. @returns has it go on */
  freeze(node: number): () => void;
  /** What the coordinator has logged. */
  log(): Promise<string>;
}

/** @param settings lines of the configuration */
export function withOwnCluster(settings: readonly string[]): { readonly current: OwnCluster } {
  const bin = findCitus() ?? '';
  let folder = '';
  let current: OwnCluster | undefined;
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-own-citus-')));
    await chmod(folder, 0o755);
    const ports = [await freePort(), await freePort(), await freePort()];
    const url = await startCluster(bin, folder, ports, settings);
    const pool = createPool({ connectionString: url, max: 1 }, () => {});
    await migrate(pool);
    await pool.end();
    const at = (node: number) => join(folder, `node${node}`);
    current = {
      database: { url, drop: () => closeSql(url) },
      ports,
      stop: (node) => stopNode(bin, folder, node),
      start: (node) => startNode(bin, folder, node),
      copy: (node) => void runAsPostgres('cp', ['-a', at(node), `${at(node)}.copy`]),
      putBack(node, as) {
        runAsPostgres('rm', ['-r', at(node)]);
        runAsPostgres('cp', ['-a', `${at(node)}.copy`, at(node)]);
        if (as) runAsPostgres('touch', [join(at(node), 'standby.signal')]);
      },
      promote: (node) => void runAsPostgres(join(bin, 'pg_ctl'), ['-D', at(node), '-w', 'promote']),
      freeze(node) {
        const postmaster = Number(readFileSync(join(at(node), 'postmaster.pid'), 'utf8').split('\n')[0]);
        // First the one that makes the others.
        process.kill(postmaster, 'SIGSTOP');
        const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
        const all = [...children.map(Number), postmaster];
        for (const pid of all) signal(pid, 'SIGSTOP');
        return () => {
          for (const pid of all) signal(pid, 'SIGCONT');
        };
      },
      log: () => readFile(join(folder, 'node0.log'), 'utf8'),
    };
  });
  afterAll(async () => {
    if (current) stopCluster(bin, folder);
    await rm(folder, { recursive: true, force: true });
  });
  return {
    get current() {
      if (!current) throw new Error('The cluster has not started.');
      return current;
    },
  };
}

/** Signals a process, unless it has ended. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Makes ledgers until one is on that node. */
export async function onNode<T extends Pick<TestClient, 'ledger'>>(
  { database, ports }: OwnCluster,
  node: number,
  make: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const client = await make();
    const [row] = await runSql<{ port: number }>(
      database.url,
      `select nodeport as port from pg_dist_placement join pg_dist_node using (groupid)
       where shardid = get_shard_id_for_distribution_column('change', (select id from ledger where handle = $1))`,
      [client.ledger],
    );
    if (row!.port === ports[node]) return client;
  }
}

/** Connection string of a node. */
export function urlOf({ database, ports }: OwnCluster, node: number): string {
  return Object.assign(new URL(database.url), { port: String(ports[node]) }).href;
}
