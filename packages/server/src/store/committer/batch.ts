import pg from 'pg';
import { type LedgerClock, momentLimits } from '../../base/ledger-clock.js';
import { isDistributed } from '../nodes/distribution.js';
import { callOf } from '../parameters.js';
import { ALL_KINDS } from '../queries/kinds-where.js';
import type { Queryable } from '../queries/statement.js';
import {
  deliveryParameters,
  needParameters,
  registersKey,
  secretParameters,
  settlementParameters,
  writeParameters,
} from './rows.js';
import type { Settled, Settlement } from './settlement.js';
import type { Write, WriteOutcome } from './write.js';

/** A pool, or one connection inside a transaction. */
export type Runner = Pick<pg.ClientBase, 'query'>;

/** The clock of a ledger (base/ledger-clock.ts). */
export type Clock = Pick<LedgerClock, 'current' | 'mayAsk'>;

/**
 * Stores a batch: one round trip, one transaction, one fsync, however many writes (sql/store_batch_1.sql). Their clock is
 * compared as of now: the connection is there.
 *
 * @param writes all of one ledger
 * @param clock writes that are behind what is stored are stale by it; none is unless given
 * @returns an outcome for each write, in order
 */
export async function storeTogether(runner: Runner, writes: readonly Write[], clock?: Clock): Promise<WriteOutcome[]> {
  const ledger = writes[0]?.ledger;
  if (writes.some((write) => write.ledger !== ledger)) throw new Error('No commit spans two ledgers.');
  const call = callOf('store_batch_1', {
    ledger,
    ...writeParameters(writes),
    ...needParameters(writes),
    ...secretParameters(writes),
    ...deliveryParameters(writes),
    clock: clock && ledger !== undefined ? new Date(clock.current(ledger)).toISOString() : null,
    kinds: kindsAsked(writes, clock),
    behind: momentLimits.behind,
  });
  type Row = { results: WriteOutcome['result'][]; version: number; newest: Date | null };
  const { rows } = await runner.query<Row>(call);
  const { results, version, newest } = rows[0]!;
  const known = newest ? { newest: newest.getTime() } : {};
  return results.map((result) => ({ result, version, ...known }));
}

/**
 * Stores one write in a transaction of several statements, which is undone unless it is done. There a node of a cluster may write to
 * itself alone, so what may raise the version of the ledger's rules, which all nodes have, raises it before.
 *
 * @param client in a transaction
 * @param pool that it is of
 */
export async function storeInTransaction(
  client: Runner,
  pool: Queryable,
  write: Write,
  clock?: Clock,
): Promise<WriteOutcome> {
  const { ledger, version } = write;
  const stale: WriteOutcome = { result: 'stale', version };
  if (!(write.bumpsRules || registersKey(write)) || !(await isDistributed(pool))) {
    const [outcome = stale] = await storeTogether(client, [write], clock);
    return outcome;
  }
  const { rows } = await client.query<{ version: number }>(
    'update ledger set version = version + 1 where id = $1 and version = $2 returning version',
    [ledger, version],
  );
  if (!rows[0]) return stale;
  const raised = { ...write, version: rows[0].version, bumpsRules: false };
  const [outcome = stale] = await storeTogether(client, [raised], clock);
  return outcome.result === 'done' ? outcome : { ...outcome, version };
}

/**
 * Stores a batch that settles intents, all of it or nothing (sql/settle_batch_1.sql). The outcome of a write that stands in the
 * way of the others says why; that of the others is `blocked`. Where a balance that moves has changed, all are `blocked`.
 *
 * @throws what the database throws. When the connection is lost the outcome is unknown.
 */
export async function storeSettlement(runner: Runner, settlement: Settlement): Promise<Settled> {
  const { ledger, writes, leader } = settlement;
  const call = callOf('settle_batch_1', {
    ledger,
    holder: leader?.holder,
    lease: leader?.lease,
    last: leader?.moment,
    ...writeParameters(writes),
    ...settlementParameters(settlement),
  });
  try {
    type Row = {
      is_stored: boolean;
      is_home: boolean;
      results: Settled['outcomes'][number]['result'][];
      version: number;
    };
    const { rows } = await runner.query<Row>(call);
    const { is_stored, is_home, results, version } = rows[0]!;
    return { isStored: is_stored, isLeader: is_home, outcomes: results.map((result) => ({ result, version })) };
  } catch (error) {
    if (!isSerializationFailure(error) && !wasReused(error) && !isTakenMeanwhile(error)) throw error;
    const outcomes = writes.map(({ version }) => ({ result: 'blocked', version }) as const);
    return { isStored: false, isLeader: true, outcomes };
  }
}

/** The kinds of records whose last moment a commit asks for. */
function kindsAsked(writes: readonly Write[], clock: Clock | undefined): readonly string[] {
  if (!clock) return [];
  return clock.mayAsk(writes[0]!.ledger) ? ALL_KINDS : [...new Set(writes.map(({ kind }) => kind))];
}

/**
 * Whether another transaction used a proof for another record at the same time. A cluster tells only by the message, and numbers the
 * parts of a table.
 */
export function wasReused(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code !== NOT_NULL_VIOLATION) return false;
  return /\bused_proof(_\d+)?\b/.test(error.table ?? error.message);
}

/**
 * Whether PostgreSQL aborted the transaction to let another through, as in a deadlock between batches of two processes.
 * The write is then decided again on what the other stored.
 */
export function isSerializationFailure(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === DEADLOCK || error.code === SERIALIZATION_FAILURE);
}

/** Whether another transaction made a row at the same time that this one was to make. */
export function isTakenMeanwhile(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION;
}

const DEADLOCK = '40P01';
const SERIALIZATION_FAILURE = '40001';
const NOT_NULL_VIOLATION = '23502';
const UNIQUE_VIOLATION = '23505';
