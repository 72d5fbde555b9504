import { setTimeout as pause } from 'node:timers/promises';
import { readJson } from '@countersign/protocol';
import type pg from 'pg';
import { discardBegun, findBegun, holdImport, keepBegun, listBegun } from '../archive/begun-import.js';
import { findNamedLedger } from '../archive/named-ledger.js';
import { ImportRefused } from '../archive/refusals.js';
import { mapConcurrently } from '../store/nodes/by-ledger.js';
import { formatAddress } from '../store/nodes/distribution.js';
import { ofReachable, readConfined } from '../store/nodes/reachable.js';
import { onceConnected } from '../store/transaction.js';
import { AdminRefused, WrongCall } from './refusals.js';

/** A ledger of which the row is left, and no change: its node has gone back in time to before it was made. */
export interface LostLedger {
  readonly handle: string;
  readonly luid: string;
  /** `host:port` of the node that has lost it. */
  readonly node: string;
}

/** A ledger whose handle is free again. */
export interface ForgottenLedger {
  readonly handle: string;
  readonly luid: string;
  /** Rows that were deleted beside that of the ledger. */
  readonly rows: number;
}

/** A node, as it answers. */
export interface AskedNode {
  readonly group: number;
  readonly address: string;
  /** Why it does not answer; null where it does. */
  readonly failure: string | null;
  /** Whether its last start was examined: until then, it may lack what it is yet to get. */
  readonly isAdmitted: boolean;
  /** Names of transactions that are prepared, and not ended. */
  readonly prepared: readonly string[];
}

interface PlacedLedger {
  readonly id: number;
  readonly handle: string;
  readonly luid: string;
  readonly shard: number;
  readonly group: number;
}

/** Milliseconds for which transactions that are prepared are waited for: they end at once, unless a node was lost meanwhile. */
const ENDED_WITHIN = 5_000;

/** Milliseconds between two looks at them. */
const LOOK_EACH = 100;

/** Finds the lost ledgers on nodes that answer, and whose last start was examined. It reads a row of each ledger, from each shard on its own. */
export async function findLost(pool: pg.Pool): Promise<LostLedger[]> {
  const seeming = await findWithoutChanges(pool);
  if (seeming.length === 0) return [];
  // Where a ledger is being made, its row may be there first.
  const nodes = await askNodes(pool);
  await waitForPrepared(pool, nodes).catch(ignoreRefusal);
  const ids = new Set((await findWithoutChanges(pool)).map(({ id }) => id));
  return seeming.flatMap(({ id, handle, luid, group }) => {
    const node = nodes.find((one) => one.group === group);
    return ids.has(id) && node?.isAdmitted ? [{ handle, luid, node: node.address }] : [];
  });
}

/**
 * Deletes what is left of a lost ledger, so that its handle can be used again, and the ledger be imported. Killed in between, it is
 * ended by `discardImport`, which the next call names.
 *
 * @throws AdminRefused while the ledger may not be lost: a node does not answer, was not examined, or has prepared transactions; and
 * where it has changes. WrongCall where there is none of that name
 */
export async function forgetLost(pool: pg.Pool, name: string): Promise<ForgottenLedger> {
  const { id, handle, luid } = await findNamedLedger(pool, name, WrongCall).catch((error) =>
    tellInterrupted(pool, error),
  );
  const nodes = await askNodes(pool);
  assertExamined(nodes);
  await waitForPrepared(pool, nodes);
  const { rows: changes } = await pool.query('select from change where ledger_id = $1 limit 1', [id]);
  if (changes.length > 0) throw new AdminRefused(`The ledger ${handle} is not lost: its node has changes of it.`);
  return onceConnected(pool, async (client) => {
    try {
      await holdImport(client, luid).catch(refuseImport);
      if (await findBegun(client, luid))
        throw new AdminRefused(
          `An import of ${luid} was begun: end it, or call \`countersign import ${luid} --discard\`.`,
        );
      const begun = { id, sha256: '', order: 1, isReadOnly: false, isDiscarded: true };
      await client.query('begin');
      await keepBegun(client, luid, begun);
      await client.query('delete from ledger where id = $1', [id]);
      await client.query('delete from lease where ledger_id = $1', [id]);
      await client.query('commit');
      return { handle, luid, rows: await discardBegun(client, luid, begun) };
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    } finally {
      await client.query('select pg_advisory_unlock_all()').catch(() => {});
    }
  });
}

/** Where no ledger has the name, an earlier call may have deleted its row, and have ended then. @throws what was thrown, or WrongCall with that */
async function tellInterrupted(pool: pg.Pool, error: unknown): Promise<never> {
  if (!(error instanceof WrongCall)) throw error;
  const begun = (await onceConnected(pool, listBegun)).map((luid) => `\`countersign import ${luid} --discard\``);
  if (begun.length === 0) throw error;
  throw new WrongCall(`${error.message} If an earlier call has not ended, end it: ${begun.join(', ')}.`);
}

const ALL = `select l.id, l.handle, l.luid, p.shardid as shard, p.groupid as "group"
  from ledger l join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('public.change'::regclass, l.id)`;

/** The first change of a ledger's own record: each ledger has it. */
const PRESENT = `select l.id from ledger l join change c on c.ledger_id = l.id and c.luid = l.luid and c.change = 1
  where ${ofReachable('l.id')} and ${ofReachable('c.ledger_id')}`;

/** Ledgers without changes, on nodes that answer. */
async function findWithoutChanges(pool: pg.Pool): Promise<PlacedLedger[]> {
  const { rows: all } = await pool.query<PlacedLedger>(ALL);
  const shards = [...new Set(all.map(({ shard }) => shard))];
  const found = await mapConcurrently(shards, async (shard) => {
    const own = all.filter((one) => one.shard === shard);
    const present = { text: PRESENT, values: [] };
    const ids = own.map(({ id }) => id);
    const { rows, ledgers = ids } = await readConfined<{ id: number }>(pool, present, (one) => pool.query(one), ids);
    const [there, reached] = [new Set(rows.map(({ id }) => id)), new Set(ledgers)];
    return own.filter(({ id }) => reached.has(id) && !there.has(id));
  });
  return found.flat();
}

const STATE = `select json_build_object(
  'isAdmitted', (select g.groupid from pg_dist_local_group g) = 0 or coalesce(cluster.admitted() = pg_postmaster_start_time(), false),
  'prepared', (select coalesce(json_agg(gid), '[]') from pg_prepared_xacts where database = current_database()))`;

/** Asks all nodes what `forgetLost` depends on. */
export async function askNodes(pool: pg.Pool): Promise<AskedNode[]> {
  const { rows } = await pool.query<{ group: number; host: string; port: number; isUp: boolean; text: string }>(
    `select n.groupid as "group", n.nodename as host, n.nodeport as port, r.success as "isUp", r.result as text
     from run_command_on_all_nodes($1) r join pg_dist_node n using (nodeid) order by n.groupid`,
    [STATE],
  );
  return rows.map(({ group, isUp, text, ...place }) => {
    const state = isUp ? (readJson(text) as unknown as Pick<AskedNode, 'isAdmitted' | 'prepared'>) : undefined;
    const { isAdmitted = false, prepared = [] } = state ?? {};
    return { group, address: formatAddress(place), failure: isUp ? null : text, isAdmitted, prepared };
  });
}

function assertExamined(nodes: readonly AskedNode[]): void {
  for (const { address, failure, isAdmitted } of nodes) {
    if (failure !== null) throw notAnswering(address, failure);
    if (!isAdmitted)
      throw new AdminRefused(
        `The node ${address} has restarted, and no server has examined it since: look at their log.`,
      );
  }
}

function notAnswering(address: string, failure: string): AdminRefused {
  return new AdminRefused(`All nodes have to be up, and ${address} does not answer: ${failure}`);
}

/** Waits until the prepared transactions have ended that may have begun before: one of them may make the ledger. @throws AdminRefused */
async function waitForPrepared(pool: pg.Pool, nodes: readonly AskedNode[]): Promise<void> {
  const before = new Set(nodes.flatMap(({ prepared }) => prepared));
  const end = performance.now() + ENDED_WITHIN;
  for (let now = nodes; ; now = await askNodes(pool)) {
    const open = now.filter(({ failure, prepared }) => failure !== null || prepared.some((name) => before.has(name)));
    if (open.length === 0) return;
    if (performance.now() > end) {
      for (const { address, failure } of open) if (failure !== null) throw notAnswering(address, failure);
      throw new AdminRefused(
        `Prepared transactions are open on ${open.map(({ address }) => address).join(', ')}, and one may make the ledger: Citus ` +
          'ends them every citus.recover_2pc_interval.',
      );
    }
    await pause(LOOK_EACH);
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof AdminRefused)) throw error;
}

function refuseImport(error: unknown): never {
  throw error instanceof ImportRefused ? new AdminRefused(error.message) : error;
}
