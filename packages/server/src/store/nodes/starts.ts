import type pg from 'pg';
import { VERSIONS_PER_EPOCH } from '../epoch-guard.js';

/** What a node says of itself. */
export interface NodeState {
  /** Names its last start: seconds since 1970. */
  readonly start: string;
  readonly isStandby: boolean;
  /** System identifier and timeline. */
  readonly name: string;
  /** The position of its write-ahead log, in bytes; null where the role may not read it. */
  readonly position: number | null;
  /** Whether the functions that store run there since that start. */
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

/** Where the ledgers of a node have gone on from an earlier point. */
interface MovedLedgers {
  readonly epoch: number;
  /** Luids. */
  readonly ledgers: readonly string[];
}

interface StoredStart {
  readonly number: number;
  readonly start: string;
  readonly name: string;
  readonly position: number;
  /** The epoch that the ledgers of the node were moved to after this start; null where nothing was lost. */
  readonly epoch: number | null;
  /** Luids of ledgers that were lost altogether. */
  readonly lost: readonly string[];
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
 * Keeps on the coordinator that a node has begun anew. Where it has lost writes by that, moves its ledgers on to a new epoch, in the
 * transaction of the client: all nodes have to be up for it.
 *
 * @returns undefined where nothing is lost, as far as this process can tell
 */
export async function settleStart(
  client: pg.PoolClient,
  at: NodeAddress,
  state: NodeState,
  before: SeenBefore,
): Promise<MovedLedgers | undefined> {
  await client.query('select pg_advisory_xact_lock($1)', [EXAMINATION_LOCK]);
  const { rows: stored } = await client.query<StoredStart>(
    'select number, start, name, position, epoch, lost from cluster.node_start where node = $1 order by number desc',
    [at.node],
  );
  const [last] = stored;
  const isNew = last?.start !== state.start;
  const since = startsSince(stored, before);
  const moves = since.filter((one) => one.epoch !== null);
  const epoch = moves[0]?.epoch ?? null;
  const isSetBack = isNew && last !== undefined && (last.name !== state.name || (state.position ?? 0) < last.position);
  const isBehind = epoch === null && [...since, ...(isNew ? [state] : [])].some((one) => isBefore(one, before));
  if (!isSetBack && !isBehind) {
    if (isNew) await keepStart(client, at.node, state, null, []);
    if (epoch === null) return undefined;
    const there = (await ledgersOn(client, at)).map(({ luid }) => luid);
    return { epoch, ledgers: [...there, ...moves.flatMap(({ lost }) => lost)] };
  }
  const { lost, ...moved } = await moveLedgers(client, at, state);
  if (isNew) await keepStart(client, at.node, state, moved.epoch, lost);
  else
    await client.query('update cluster.node_start set epoch = $3, lost = $4 where node = $1 and number = $2', [
      at.node,
      last!.number,
      moved.epoch,
      lost,
    ]);
  return moved;
}

/** The starts that were stored after the one that this process has seen. */
function startsSince(stored: readonly StoredStart[], { start }: SeenBefore): readonly StoredStart[] {
  if (start === undefined) return [];
  const index = stored.findIndex((one) => one.start === start);
  return index < 0 ? stored : stored.slice(0, index);
}

/** Whether the log of the node was before what this process has read of it. */
function isBefore({ position }: { readonly position: number | null }, { start, passed }: SeenBefore): boolean {
  return start !== undefined && (position ?? 0) < passed;
}

async function keepStart(
  client: pg.PoolClient,
  node: number,
  state: NodeState,
  epoch: number | null,
  lost: readonly string[],
): Promise<void> {
  await client.query(
    `insert into cluster.node_start (node, number, start, name, position, epoch, lost)
     select $1, coalesce(max(s.number), 0) + 1, $2, $3, $4, $5, $6 from cluster.node_start s where s.node = $1`,
    [node, state.start, state.name, state.position ?? 0, epoch, lost],
  );
  await client.query(
    `delete from cluster.node_start where node = $1
       and number <= (select max(s.number) from cluster.node_start s where s.node = $1) - $2::int`,
    [node, REMEMBERED_STARTS],
  );
}

/** What the plain guard does to all ledgers, for those of a node; and whatever all nodes have, this one gets anew. */
async function moveLedgers(
  client: pg.PoolClient,
  at: NodeAddress,
  { prepared }: NodeState,
): Promise<MovedLedgers & Pick<StoredStart, 'lost'>> {
  // Half of what several nodes store together may be there, and is yet to end.
  if (prepared > 0) throw new Error(`${prepared} transactions of before are to end on the node: Citus does that.`);
  const ledgers = await ledgersOn(client, at);
  const { rows: born } = await client.query<{ id: number }>(
    `select ledger_id as id from record where kind = 'ledger' and ledger_id = any($1::bigint[]) /* of one node */`,
    [ledgers.map(({ id }) => id)],
  );
  const isBorn = new Set(born.map(({ id }) => id));
  const unborn = ledgers.filter(({ id }) => !isBorn.has(id));
  await client.query('select cluster.renew_copies($1, $2)', [at.host, at.port]);
  const { rows } = await client.query<{ value: string }>(
    `select value from deployment where name = 'epoch' for update`,
  );
  const epoch = Number(rows[0]!.value) + 1;
  const ids = ledgers.map(({ id }) => id);
  await client.query('update ledger set version = $2 where id = any($1::bigint[]) and version < $2', [
    ids,
    epoch * VERSIONS_PER_EPOCH,
  ]);
  // Their records are lost, so they never were.
  await client.query('delete from ledger where id = any($1::bigint[])', [unborn.map(({ id }) => id)]);
  await client.query(`update deployment set value = $1 where name = 'epoch'`, [String(epoch)]);
  return { epoch, ledgers: ledgers.map(({ luid }) => luid), lost: unborn.map(({ luid }) => luid) };
}

async function ledgersOn(client: pg.PoolClient, { node }: NodeAddress): Promise<{ id: number; luid: string }[]> {
  const { rows: all } = await client.query<{ id: number; luid: string }>('select id, luid from ledger');
  const { rows } = await client.query<{ id: number }>(
    `select l.id from unnest($1::bigint[]) as l (id)
      where get_shard_id_for_distribution_column('public.change'::regclass, l.id) in (
        select p.shardid from pg_dist_placement p where p.groupid = $2)`,
    [all.map(({ id }) => id), node],
  );
  const there = new Set(rows.map(({ id }) => id));
  return all.filter(({ id }) => there.has(id));
}
