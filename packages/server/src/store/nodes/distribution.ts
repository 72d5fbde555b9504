import type { Queryable } from '../queries/statement.js';
import { readSql } from '../sql.js';

const known = new WeakMap<Queryable, Promise<boolean>>();

const HAS_CITUS = `select from pg_extension where extname = 'citus'`;

/** Whether the database is a cluster of Citus, which has the ledgers spread over its nodes. A pool, or a connection, is asked once. */
export function isDistributed(on: Queryable): Promise<boolean> {
  const asked = known.get(on) ?? on.query({ text: HAS_CITUS }).then(({ rows }) => rows.length > 0);
  known.set(on, asked);
  asked.catch(() => known.delete(on));
  return asked;
}

/**
 * Has names found in the schema of the tables alone: on a cluster, sessions look into that of its functions first (sql/distribute.sql).
 *
 * @param until when
 */
export async function useTables(
  on: { query(text: string): Promise<unknown> },
  until: 'transaction ends' | 'session ends',
): Promise<void> {
  const isLocal = until === 'transaction ends';
  await on.query(`select set_config('search_path', 'public', ${isLocal}) from pg_extension where extname = 'citus'`);
}

/** Spreads what is not yet spread, tables and functions, where the database is a cluster (sql/distribute.sql). */
export async function distribute(on: { query(text: string): Promise<{ rows: unknown[] }> }): Promise<void> {
  const { rows } = await on.query(HAS_CITUS);
  if (rows.length > 0) await on.query(readSql('distribute'));
}

/** A node of a cluster, as the coordinator finds it. */
export interface FoundNode {
  readonly host: string;
  readonly port: number;
  readonly isUp: boolean;
}

/** `host:port`. */
export function formatAddress({ host, port }: Pick<FoundNode, 'host' | 'port'>): string {
  return `${host}:${port}`;
}

/** Asks all nodes of a cluster; there are none without one. */
export async function findNodes(on: Queryable): Promise<FoundNode[]> {
  if (!(await isDistributed(on))) return [];
  const { rows } = await on.query<FoundNode>({
    text: `select nodename as host, nodeport as port, citus_check_connection_to_node(nodename, nodeport) as "isUp"
      from pg_dist_node where noderole = 'primary' order by groupid`,
  });
  return rows;
}
