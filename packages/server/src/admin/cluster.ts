import type pg from 'pg';
import { Type } from 'typebox';
import { findNamedLedger } from '../archive/named-ledger.js';
import { type FoundNode, findNodes, formatAddress, isDistributed } from '../store/nodes/distribution.js';
import { askNodes, type ForgottenLedger, findLost, forgetLost, type LostLedger } from './lost-ledgers.js';
import { defineOperation, LEDGER_NAME } from './operation.js';
import { AdminRefused, WrongCall } from './refusals.js';

/** A node of a cluster. */
export interface ClusterNode extends FoundNode {
  /** Whether its last start was examined: until then it serves nothing, and what it has lost is unknown. False while it is down. */
  readonly isExamined: boolean;
  readonly shards: number;
  readonly ledgers: number;
  /** Of the shards of all tables; null while the node is down. */
  readonly bytes: number | null;
}

/** How the ledgers of a deployment are spread. */
export interface ClusterView {
  /** The coordinator first. */
  readonly nodes: readonly ClusterNode[];
  /** Tables of ledgers that the coordinator alone has: `countersign-server --migrate` spreads them. */
  readonly unspread: readonly string[];
  readonly lost: readonly LostLedger[];
  /** The ledger that has a shard to itself from now on. */
  readonly isolated?: string;
}

/** The answer where a ledger was forgotten: nothing else is looked at, which may fail. */
export interface Forgotten {
  /** What was deleted. */
  readonly forgotten: ForgottenLedger;
}

/**
 * Tells how ledgers are spread over the nodes of a cluster of Citus. Before that, a ledger may get a shard to itself, which can then be moved
 * to a node of its own; or what is left of a lost ledger is deleted.
 */
export const cluster = defineOperation({
  input: Type.Object(
    { isolate: Type.Optional(LEDGER_NAME), forget: Type.Optional(LEDGER_NAME) },
    { additionalProperties: false },
  ),
  changes: ({ isolate, forget }) => isolate !== undefined || forget !== undefined,
  run: ({ onDatabase }, input) => onDatabase(({ pool }) => viewCluster(pool, input)),
});

async function viewCluster(
  pool: pg.Pool,
  { isolate, forget }: { readonly isolate?: string; readonly forget?: string },
): Promise<ClusterView | Forgotten> {
  if (!(await isDistributed(pool)))
    throw new AdminRefused('The database is not a cluster: it lacks the extension citus (docs/operations/cluster.md).');
  if (isolate !== undefined && forget !== undefined)
    throw new WrongCall('A ledger is isolated, or forgotten, one at a time.');
  if (forget !== undefined) return { forgotten: await forgetLost(pool, forget) };
  const isolated = isolate === undefined ? undefined : await isolateLedger(pool, isolate);
  const { rows: unspread } = await pool.query<{ name: string }>(UNSPREAD);
  return {
    nodes: await nodesOf(pool),
    unspread: unspread.map(({ name }) => name),
    // Tables that are not distributed have no shards to look at.
    lost: unspread.length > 0 ? [] : await findLost(pool),
    ...(isolated !== undefined && { isolated }),
  };
}

const UNSPREAD = `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'lease' and a.attname = 'ledger_id'
    and not exists (select from pg_dist_partition p where p.logicalrelid = c.oid)
  order by c.relname`;

/** Sizes are asked of each node, so of those that answer alone. */
async function nodesOf(pool: pg.Pool): Promise<ClusterNode[]> {
  const found = await findNodes(pool);
  const asked = await askNodes(pool);
  const { rows: placed } = await pool.query<{ shard: number; host: string; port: number }>(PLACED);
  const { rows: ledgers } = await pool.query<{ id: number }>('select id from ledger');
  const { rows: shards } = await pool.query<{ shard: number }>(
    `select get_shard_id_for_distribution_column('public.change'::regclass, l.id) as shard from unnest($1::bigint[]) as l (id)`,
    [ledgers.map(({ id }) => id)],
  );
  const nodes: ClusterNode[] = [];
  for (const node of found) {
    const own = new Set(
      placed.filter(({ host, port }) => host === node.host && port === node.port).map(({ shard }) => shard),
    );
    const bytes = node.isUp ? await bytesOf(pool, node) : null;
    const isExamined = asked.some(({ address, isAdmitted }) => address === formatAddress(node) && isAdmitted);
    nodes.push({
      ...node,
      isExamined,
      shards: own.size,
      ledgers: shards.filter(({ shard }) => own.has(shard)).length,
      bytes,
    });
  }
  return nodes;
}

const PLACED = `select s.shardid as shard, n.nodename as host, n.nodeport as port
  from pg_dist_shard s join pg_dist_placement p on p.shardid = s.shardid join pg_dist_node n on n.groupid = p.groupid
  where s.logicalrelid = 'public.change'::regclass and n.noderole = 'primary'`;

async function bytesOf(pool: pg.Pool, { host, port }: FoundNode): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    `select r.result as bytes from master_run_on_worker(array[$1], array[$2::int], array[
       'select coalesce(sum(pg_total_relation_size(c.oid)), 0) from pg_class c
        join pg_dist_shard s on c.oid = to_regclass(format(''public.%I'', (select t.relname from pg_class t where t.oid = s.logicalrelid) || ''_'' || s.shardid))'
     ], false) r`,
    [host, port],
  );
  return Number(rows[0]?.bytes ?? 0);
}

/** Where a ledger is, and where the parts of its shard may go. */
interface Place {
  readonly shard: string;
  /** The hash of the ledger, and the ends of the range of its shard. */
  readonly hash: number;
  readonly first: number;
  readonly last: number;
  /** The node with the fewest shards of those that do not have this one; null where it is the only one. */
  readonly other: number | null;
}

const PLACE = `select s.shardid as shard, worker_hash($1::bigint) as hash, s.shardminvalue::int as first, s.shardmaxvalue::int as last,
    (select n.nodeid from pg_dist_node n
      where n.noderole = 'primary' and n.isactive and n.shouldhaveshards and n.groupid <> p.groupid
      order by (select count(*) from pg_dist_placement o where o.groupid = n.groupid), n.nodeid limit 1) as other
  from pg_dist_shard s join pg_dist_placement p on p.shardid = s.shardid
  where s.shardid = get_shard_id_for_distribution_column('public.change'::regclass, $1::bigint)`;

/**
 * Splits the shard of a ledger, so that the ledger has one alone. Citus copies the rows while they are written to, and holds writes up for
 * the last step. It does so to another node only: on the same one, a row that is changed while the copy begins would stop the copy for
 * good, since Citus reads from the log how to find the row before it has made the key of the new shard. Where there is no other node,
 * writes of the shard wait for all of the copy.
 */
async function isolateLedger(pool: pg.Pool, name: string): Promise<string> {
  const { id, handle } = await findNamedLedger(pool, name, WrongCall);
  const { rows } = await pool.query<Place>(PLACE, [id]);
  const { shard, hash, first, last, other } = rows[0]!;
  if (first === last) throw new AdminRefused(`The ledger ${handle} has a shard to itself already.`);
  const points = [...(hash > first ? [hash - 1] : []), ...(hash < last ? [hash] : [])];
  const split: pg.QueryConfig =
    other === null
      ? {
          text: `select isolate_tenant_to_new_shard('public.change'::regclass, $1::bigint, 'CASCADE', 'block_writes')`,
          values: [id],
        }
      : {
          text: `select citus_split_shard_by_split_points($1::bigint, $2::text[], $3::int[], 'auto')`,
          values: [shard, points.map(String), Array(points.length + 1).fill(other)],
        };
  const client = await pool.connect();
  try {
    await client.query('set statement_timeout = 0');
    await client.query({ ...split, query_timeout: 2 ** 31 - 1 } as pg.QueryConfig);
    return handle;
  } finally {
    client.release(true);
  }
}
