import pg from 'pg';
import type { Queryable } from '../queries/statement.js';
import { findNodes, isDistributed } from './distribution.js';

/**
 * SQL: a condition that holds. Where a node of a cluster is down, a read over all ledgers is confined by it to those of the others.
 *
 * @param column the id of the ledger, in a table that is spread over the nodes
 */
export function ofReachable(column: string): string {
  return `(true /* reachable ${column} */)`;
}

const CONDITION = /\(true \/\* reachable (\S+) \*\/\)/g;

/** Milliseconds for which the ledgers of a node that was down are left out: it costs each read a try to find out. */
const REST_MS = 5_000;

/** Ledgers on nodes that answer, by the pool that has met one that does not. */
const confined = new WeakMap<Queryable, { readonly ledgers: readonly number[]; readonly until: number }>();

interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What was read, and of which ledgers. */
interface ReachableRows<Row> {
  readonly rows: Row[];
  /** Ids of the ledgers that the read was confined to; undefined where it was over all. */
  readonly ledgers?: readonly number[];
}

/**
 * Reads over all ledgers; in a cluster of which a node is down, over those of the others.
 *
 * @param statement with `ofReachable` for each table that is spread
 * @param run runs it; as the pool does, unless given
 */
export async function readReachable<Row extends pg.QueryResultRow>(
  on: Queryable,
  statement: Statement,
  run: (statement: pg.QueryConfig) => Promise<{ rows: Row[] }> = (one) => on.query<Row>(one),
): Promise<Row[]> {
  return (await readConfined(on, statement, run)).rows;
}

/**
 * The same, telling of which ledgers.
 *
 * @param among ids of the ledgers that it is about; all unless given
 */
export async function readConfined<Row extends pg.QueryResultRow>(
  on: Queryable,
  statement: Statement,
  run: (statement: pg.QueryConfig) => Promise<{ rows: Row[] }>,
  among?: readonly number[],
): Promise<ReachableRows<Row>> {
  const { text, values } = statement;
  // The comment stays in the SQL: scripts/testing/one-node.mjs knows by it the reads that may be over all nodes.
  const readOf = (ledgers: readonly number[]) =>
    run({
      text: text.replaceAll(CONDITION, `($1 = any($$${values.length + 1}::bigint[]) /* reachable $1 */)`),
      values: [...values, ledgers],
    });
  const overAll = () => (among ? readOf(among) : run({ ...statement, values: [...values] }));
  // It has no condition on ledgers, so there is nothing to confine.
  if (text.search(CONDITION) < 0) return { rows: (await overAll()).rows };
  const confine = async (reached: readonly number[]) => {
    const there = new Set(reached);
    const ledgers = among ? among.filter((id) => there.has(id)) : reached;
    return { rows: (await readOf(ledgers)).rows, ledgers };
  };
  const known = confined.get(on);
  if (known && performance.now() < known.until) return confine(known.ledgers);
  try {
    return { rows: (await overAll()).rows };
  } catch (error) {
    if (!isNodeLost(error) || !(await isDistributed(on))) throw error;
    const ledgers = await findReachableLedgers(on);
    confined.set(on, { ledgers, until: performance.now() + REST_MS });
    return confine(ledgers);
  }
}

/** Whether the coordinator has not reached another node. */
function isNodeLost(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code?.startsWith('08') === true;
}

/** Ids of the ledgers on nodes that answer. */
async function findReachableLedgers(on: Queryable): Promise<number[]> {
  const up = (await findNodes(on)).filter(({ isUp }) => isUp);
  const { rows: all } = await on.query<{ id: number }>({ text: 'select id from ledger' });
  const { rows } = await on.query<{ id: number }>({
    text: `select l.id from unnest($1::bigint[]) as l (id)
      where get_shard_id_for_distribution_column('public.change'::regclass, l.id) in (
        select p.shardid from pg_dist_placement p join pg_dist_node n on n.groupid = p.groupid
        where (n.nodename, n.nodeport) in (select * from unnest($2::text[], $3::int[])))`,
    values: [all.map(({ id }) => id), up.map(({ host }) => host), up.map(({ port }) => port)],
  });
  return rows.map(({ id }) => id);
}
