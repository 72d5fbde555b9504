import { closeSql, runSql } from './sql.js';

/** Of a table, in a cluster of tests: more would take longer to make. */
const SHARDS = 4;

/** Connection strings of all nodes of the cluster that CITUS_TEST_URL names, the coordinator first; that of the server alone without. */
export async function nodesOf(server: string): Promise<string[]> {
  if (!process.env.CITUS_TEST_URL) return [server];
  const nodes = await runSql<{ host: string; port: number }>(
    server,
    'select nodename as host, nodeport as port from pg_dist_node order by groupid',
  );
  return nodes.map(({ host, port }) => Object.assign(new URL(server), { hostname: host, port: String(port) }).href);
}

/** The database of that connection string on another node. */
function onNode(database: string, node: string): string {
  const { hostname, port } = new URL(node);
  return Object.assign(new URL(database), { hostname, port }).href;
}

/** Makes a cluster of the databases of one name on all nodes. */
export async function joinNodes(database: string, nodes: readonly string[]): Promise<void> {
  for (const node of nodes) await runSql(onNode(database, node), 'create extension citus');
  const name = new URL(database).pathname.slice(1);
  await runSql(database, `alter database ${name} set citus.shard_count = ${SHARDS}`);
  const [{ hostname, port }, ...others] = nodes.map((node) => new URL(node)) as [URL, ...URL[]];
  await runSql(database, 'select citus_set_coordinator_host($1, $2)', [hostname, port]);
  for (const other of others) await runSql(database, 'select citus_add_node($1, $2)', [other.hostname, other.port]);
  for (const node of nodes) await closeSql(onNode(database, node));
}

/** Ends all connections to a database, so that it can be copied; in a cluster, the engine's own as well, until `allowConnections`. */
export async function keepForCopies(database: string): Promise<void> {
  await closeSql(database);
  if (!process.env.CITUS_TEST_URL) return;
  const name = new URL(database).pathname.slice(1);
  for (const node of await nodesOf(process.env.CITUS_TEST_URL)) {
    await runSql(node, `alter database ${name} allow_connections false`);
    await runSql(node, 'select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1', [name]);
  }
}

/** Lets a database that was kept for copies be used again. */
export async function allowConnections(database: string): Promise<void> {
  if (!process.env.CITUS_TEST_URL) return;
  const name = new URL(database).pathname.slice(1);
  for (const node of await nodesOf(process.env.CITUS_TEST_URL))
    await runSql(node, `alter database ${name} allow_connections true`);
}

/** Where the rows of a ledger are, of one table. */
export interface Place {
  /** Connection string of its node. */
  readonly url: string;
  readonly table: string;
}

/** Finds the rows of a ledger for what Citus would not plan. */
export async function placeOf(database: string, table: string, ledger: string): Promise<Place> {
  if (!process.env.CITUS_TEST_URL) return { url: database, table };
  const [place] = await runSql<{ shard: string; host: string; port: number }>(
    database,
    `select shardid as shard, nodename as host, nodeport as port from pg_dist_placement join pg_dist_node using (groupid)
     where shardid = get_shard_id_for_distribution_column($1::regclass, (select id from ledger where handle = $2))`,
    [table, ledger],
  );
  const { shard, host, port } = place!;
  const url = Object.assign(new URL(database), { hostname: host, port: String(port) }).href;
  return { url, table: `${table}_${shard}` };
}

/** Has a database of plain PostgreSQL taken for a cluster. */
export const PRETEND_CITUS = `insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
  values (999999, 'citus', 10, 'public'::regnamespace, false, '0')`;

/** A shard of the table of changes, with which all that its ledgers have is moved. */
export interface PlacedShard {
  readonly shard: number;
  readonly host: string;
  readonly port: number;
}

/** The shards of a database, by the nodes that have them. */
export function shardsOf(database: string): Promise<PlacedShard[]> {
  return runSql(
    database,
    `select shardid::int as shard, nodename as host, nodeport as port from citus_shards
     where table_name = 'change'::regclass order by shardid`,
  );
}

/** Moves a shard to the other one of two nodes, as the engine's rebalancer does: while it is written to. */
export async function moveShard(database: string, shard: number): Promise<void> {
  await runSql(
    database,
    `select citus_move_shard_placement(s.shardid, s.nodename, s.nodeport, n.nodename, n.nodeport, 'force_logical')
     from citus_shards s join pg_dist_node n on (n.nodename, n.nodeport) <> (s.nodename, s.nodeport) and n.shouldhaveshards
     where s.table_name = 'change'::regclass and s.shardid = $1`,
    [shard],
  );
}
