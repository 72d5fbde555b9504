import type pg from 'pg';
import { databaseLimits } from '../database-limits.js';
import { MOVE_TIMEOUT_MS, VERSIONS_PER_EPOCH } from '../epoch-guard.js';
import type { Queryable } from '../queries/statement.js';
import { findNodes, formatAddress } from './distribution.js';

/** What a node says of itself. */
export interface NodeState {
  /** Names its last start: seconds since 1970. */
  readonly start: string;
  readonly isStandby: boolean;
  /** System identifier and timeline; `start/` and the start where the role may not read these; null of a standby. */
  readonly name: string | null;
  /** The position of its write-ahead log, in bytes; null of a standby, and where the role may not read it. */
  readonly position: number | null;
  /** Whether it was admitted since that start: until then, the functions that store refuse there. */
  readonly isAdmitted: boolean;
  /** Transactions that were prepared before that start, and have not ended. */
  readonly prepared: number;
}

/** What a process has seen of a node before. */
interface SeenBefore {
  /** Its start; undefined where the process sees the node for the first time. */
  readonly start: string | undefined;
  /** The highest position that was read of it. */
  readonly passed: number;
}

/** Where the ledgers of a node have gone back in time. */
interface MovedLedgers {
  readonly epoch: number;
  /** Luids. */
  readonly ledgers: readonly string[];
}

interface StoredStart {
  readonly number: number;
  readonly start: string;
  readonly name: string;
  /** The position when it was examined. */
  readonly position: number;
  /** The highest position that a look has found. */
  readonly passed: number;
  /** The epoch that the ledgers of the node were moved to after this start; null where nothing was lost. */
  readonly epoch: number | null;
}

interface NodeAddress {
  readonly node: number;
  readonly host: string;
  readonly port: number;
}

/** Starts of a node that are remembered. */
const REMEMBERED_STARTS = 100;

/** The number of the lock of whoever examines a node. */
const EXAMINATION_LOCK = 4_207_004;

/**
 * Stores on the coordinator that a node has restarted. Where it has lost writes, moves its ledgers to a new epoch in the same
 * transaction, for which all nodes must be up.
 *
 * @param readState asks the node, once no other process examines it
 * @returns what the node said, and what was moved: undefined where nothing is lost, as far as this process can tell
 */
export async function settleStart(
  client: pg.PoolClient,
  at: NodeAddress,
  before: SeenBefore,
  readState: () => Promise<NodeState>,
): Promise<{ state: NodeState; moved: MovedLedgers | undefined }> {
  await giveTime(client, MOVE_TIMEOUT_MS);
  await run(client, 'select pg_advisory_xact_lock($1)', [EXAMINATION_LOCK]);
  // While it waited, the node may have restarted, and another process may have examined that.
  const state = await inTime(client, readState);
  if (state.isStandby) throw new Error('The node is a standby, which takes no writes.');
  return { state, moved: await settle(client, at, state, before) };
}

async function settle(
  client: pg.PoolClient,
  at: NodeAddress,
  state: NodeState,
  before: SeenBefore,
): Promise<MovedLedgers | undefined> {
  const { rows: stored } = await run<StoredStart>(
    client,
    'select number, start, name, position, passed, epoch from cluster.node_start where node = $1 order by number desc',
    [at.node],
  );
  const [last] = stored;
  const isNew = last?.start !== state.start;
  const since = findStartsSince(stored, before);
  const epoch = since.find((one) => one.epoch !== null)?.epoch ?? null;
  const hasGoneBack = isNew && last !== undefined && (last.name !== state.name || (state.position ?? 0) < last.passed);
  const isBehind = epoch === null && [...since, ...(isNew ? [state] : [])].some((one) => isBefore(one, before));
  if (!hasGoneBack && !isBehind) {
    if (isNew) await keepStart(client, at.node, state, null);
    return epoch === null ? undefined : { epoch, ledgers: (await findLedgersOn(client, at)).map(({ luid }) => luid) };
  }
  const moved = await moveLedgers(client, at, state);
  if (isNew) await keepStart(client, at.node, state, moved.epoch);
  else
    await run(client, 'update cluster.node_start set epoch = $3 where node = $1 and number = $2', [
      at.node,
      last!.number,
      moved.epoch,
    ]);
  return moved;
}

/** Keeps the highest position that was seen of a start, for processes that have seen none. */
export async function raisePosition(
  on: Queryable,
  node: number,
  { start, passed }: { readonly start: string; readonly passed: number },
): Promise<void> {
  await on.query({
    text: 'update cluster.node_start set passed = $3 where node = $1 and start = $2 and passed < $3',
    values: [node, start, passed],
  });
}

/** Gives each statement that follows in the transaction as many milliseconds. */
async function giveTime(client: pg.PoolClient, milliseconds: number): Promise<void> {
  await client.query(`set local statement_timeout = ${milliseconds}`);
}

/** Asks nodes, by statements that take no longer than a look: a silent one would hold the lock, and so stop what is about others. */
async function inTime<T>(client: pg.PoolClient, ask: () => Promise<T>): Promise<T> {
  await giveTime(client, databaseLimits.readiness.patience);
  const answer = await ask();
  await giveTime(client, MOVE_TIMEOUT_MS);
  return answer;
}

/** Runs a statement for which there is as much time as for moving the ledgers of one PostgreSQL. */
function run<Row extends pg.QueryResultRow>(client: pg.PoolClient, text: string, values: unknown[]) {
  return client.query<Row>({ text, values, query_timeout: MOVE_TIMEOUT_MS } as pg.QueryConfig);
}

/** The starts that were stored after the one that this process has seen. */
function findStartsSince(stored: readonly StoredStart[], { start }: SeenBefore): readonly StoredStart[] {
  if (start === undefined) return [];
  const index = stored.findIndex((one) => one.start === start);
  return index < 0 ? stored : stored.slice(0, index);
}

/** Whether the log of the node was before what this process has read of it. */
function isBefore({ position }: { readonly position: number | null }, { start, passed }: SeenBefore): boolean {
  return start !== undefined && (position ?? 0) < passed;
}

async function keepStart(client: pg.PoolClient, node: number, state: NodeState, epoch: number | null): Promise<void> {
  await run(
    client,
    `insert into cluster.node_start (node, number, start, name, position, passed, epoch)
     select $1, coalesce(max(s.number), 0) + 1, $2, $3, $4, $4, $5 from cluster.node_start s where s.node = $1`,
    [node, state.start, state.name, state.position ?? 0, epoch],
  );
  await run(
    client,
    `delete from cluster.node_start where node = $1
       and number <= (select max(s.number) from cluster.node_start s where s.node = $1) - $2::int`,
    [node, REMEMBERED_STARTS],
  );
}

/** Moves the ledgers of a node to a new epoch, and copies the reference tables to it. Rows of ledgers whose records are lost stay. */
async function moveLedgers(client: pg.PoolClient, at: NodeAddress, { prepared }: NodeState): Promise<MovedLedgers> {
  // A two-phase commit may still be open on the node.
  if (prepared > 0)
    throw new Error(`${prepared} prepared transactions are open on the node until Citus recovers them.`);
  await inTime(client, () => assertOthersUp(client));
  const ledgers = await findLedgersOn(client, at);
  await run(client, 'select cluster.renew_copies($1, $2)', [at.host, at.port]);
  const { rows } = await run<{ value: string }>(
    client,
    `select value from deployment where name = 'epoch' for update`,
    [],
  );
  const epoch = Number(rows[0]!.value) + 1;
  await run(client, 'update ledger set version = $2 where id = any($1::bigint[]) and version < $2', [
    ledgers.map(({ id }) => id),
    epoch * VERSIONS_PER_EPOCH,
  ]);
  await run(client, `update deployment set value = $1 where name = 'epoch'`, [String(epoch)]);
  return { epoch, ledgers: ledgers.map(({ luid }) => luid) };
}

/** Before anything is locked or copied, which would be undone. */
async function assertOthersUp(client: pg.PoolClient): Promise<void> {
  const down = (await findNodes(client)).filter(({ isUp }) => !isUp);
  if (down.length === 0) return;
  const names = down.map(formatAddress).join(', ');
  throw new Error(`All nodes have to be up, and some do not answer: ${names}.`);
}

async function findLedgersOn(client: pg.PoolClient, { node }: NodeAddress): Promise<{ id: number; luid: string }[]> {
  const { rows: all } = await run<{ id: number; luid: string }>(client, 'select id, luid from ledger', []);
  const { rows } = await run<{ id: number }>(
    client,
    `select l.id from unnest($1::bigint[]) as l (id)
      where get_shard_id_for_distribution_column('public.change'::regclass, l.id) in (
        select p.shardid from pg_dist_placement p where p.groupid = $2)`,
    [all.map(({ id }) => id), node],
  );
  const there = new Set(rows.map(({ id }) => id));
  return all.filter(({ id }) => there.has(id));
}
