import pg from 'pg';
import { gather, gatherLimits, type Watch } from '../../base/gather.js';
import { databaseLimits } from '../database-limits.js';
import { createHolds } from '../money/holds.js';
import { settleLimits } from '../money/settle-limits.js';
import { onceConnected, transaction } from '../transaction.js';
import { isUnavailable } from '../unavailable.js';
import {
  type Clock,
  isSerializationFailure,
  isTakenMeanwhile,
  type Runner,
  storeInTransaction,
  storeSettlement,
  storeTogether,
  wasReused,
} from './batch.js';
import { commitLimits } from './commit-limits.js';
import { createLabeled } from './labeled.js';
import type { Settled, Settlement } from './settlement.js';
import type { Blockers, Write, WriteOutcome } from './write.js';

export type Commit = (write: Write) => Promise<WriteOutcome>;

/**
 * The committer: writes that arrive while a commit is under way are stored together by the next one. Writes that need
 * more than the one call (dependants, balances or labels to look for, a key that may collide) are stored
 * alone, in a transaction of their own.
 *
 * @param clock of the moments of writes: those that are behind what is stored are stale. None is unless given
 * @throws what the database throws. When the connection is lost during a commit the outcome is unknown; sending the
 *   same signed body again is safe (interface/records#sending-a-request-again).
 */
export function createCommitter(pool: pg.Pool, watch?: Watch, clock?: Clock): Commit {
  // No transaction spans two ledgers, so none waits for another's locks, and the tables can be distributed by ledger.
  const { batch, queue } = gatherLimits;
  const { concurrency, answeredPerTurn, characters: most } = commitLimits;
  const bounds = { batch, queue, concurrency, answeredPerTurn, apart: ledgerOfWrite, weigh: sizeOfWrite, most };
  const together = gather<Write, WriteOutcome>((writes) => storeEach(pool, writes, clock), bounds, watch);
  // Each holds a connection for several round trips, and may wait for a lock: the bound leaves connections for other
  // work.
  const alone = gather<Write, WriteOutcome>(async ([write]) => [await storeAlone(pool, write!, clock)], {
    batch: 1,
    queue,
    concurrency: commitLimits.alone.concurrency,
    each: commitLimits.alone.each,
    apart: ledgerOfWrite,
  });
  const isAlone = ({ blockedBy, unique, renames }: Write) => mayBeBlocked(blockedBy) || unique?.length || renames;
  return (write) => (isAlone(write) ? alone(write) : together(write));
}

/** Stores settlements. Ledgers take turns, and leave connections for other work. @throws as `storeSettlement` does */
export function createSettling(pool: pg.Pool): (settlement: Settlement) => Promise<Settled> {
  const bounds = {
    batch: 1,
    queue: gatherLimits.queue,
    concurrency: settleLimits.concurrency,
    each: 1,
    isPrompt: true,
  };
  const apart = ({ ledger }: Settlement) => ledger;
  return gather<Settlement, Settled>(async ([one]) => [await storeSettlement(pool, one!)], { ...bounds, apart });
}

/** Characters that the write adds to the call. */
function sizeOfWrite({ body, document, deliveries = [], secrets = [] }: Write): number {
  const events = deliveries.reduce((sum, { event }) => sum + DELIVERY + event.length, 0);
  return body.length + document.length + events + secrets.reduce((sum, { sealed }) => sum + sealed.length, 0);
}

/** Characters of a delivery beside its event. */
const DELIVERY = 300;

function ledgerOfWrite(write: Write): number {
  return write.ledger;
}

/**
 * Stores a batch. When PostgreSQL refuses the statement as a whole (which stores nothing), the batch is halved and
 * retried, until the refused write stands alone: one bad write leaves its neighbours unharmed. An unavailable database
 * would refuse every half too, so it is asked once.
 */
async function storeEach(
  pool: pg.Pool,
  writes: readonly Write[],
  clock: Clock | undefined,
): Promise<(WriteOutcome | Error)[]> {
  try {
    return await onceConnected(pool, (client) => storeTogether(client, writes, clock));
  } catch (error) {
    if (writes.length === 1) return writes.map((write) => lost(write, error) ?? (error as Error));
    if (!(error instanceof pg.DatabaseError) || isUnavailable(error)) return writes.map(() => error as Error);
    const middle = writes.length >> 1;
    const first = await storeEach(pool, writes.slice(0, middle), clock);
    return [...first, ...(await storeEach(pool, writes.slice(middle), clock))];
  }
}

/** The outcome of a write that lost to another transaction; undefined for any other error. */
function lost(write: Write, error: unknown): WriteOutcome | undefined {
  if (isSerializationFailure(error)) return staleAs(write);
  return wasReused(error) ? { result: 'reused', version: write.version } : undefined;
}

function staleAs(write: Write): WriteOutcome {
  return { result: 'stale', version: write.version };
}

/** Stores one write in its own transaction, with the checks that the shared call lacks. */
async function storeAlone(pool: pg.Pool, write: Write, clock: Clock | undefined): Promise<WriteOutcome> {
  const stale = staleAs(write);
  try {
    return await transaction(pool, async (client, rollback) => {
      if (mayBeBlocked(write.blockedBy) && (await isBlocked(client, write))) return rollback(stale);
      if (write.unique?.length && (await hasTakenLabels(client, write))) return rollback(stale);
      const outcome = await storeInTransaction(client, pool, write, clock);
      return outcome.result === 'done' ? outcome : rollback(outcome);
    });
  } catch (error) {
    if (write.renames && isTakenMeanwhile(error)) {
      return { result: 'duplicated', version: write.version };
    }
    const outcome = lost(write, error);
    if (outcome) return outcome;
    throw error;
  }
}

function mayBeBlocked({ dependants = [], money }: Blockers = {}): boolean {
  return dependants.length > 0 || money !== undefined;
}

/**
 * Whether a dependant, a balance or an intent under way stands in the way of the write. The record itself is locked first: a
 * write that needs it, or moves money by it, waits for this one, and the statements after it see one that came before.
 */
async function isBlocked(client: Runner, write: Write): Promise<boolean> {
  await client.query('select from record where ledger_id = $1 and luid = $2 for update', [write.ledger, write.luid]);
  return (await hasDependants(client, write)) || (await isHeld(client, write));
}

async function hasDependants(client: Runner, { ledger, blockedBy }: Write): Promise<boolean> {
  const { dependants = [] } = blockedBy ?? {};
  if (dependants.length === 0) return false;
  const { rows } = await client.query(
    `select from unnest($2::text[], $3::text[]) as u(kind, link)
       join record r on r.ledger_id = $1 and r.kind = u.kind and r.link = u.link limit 1`,
    [ledger, dependants.map((one) => one.kind), dependants.map((one) => one.link)],
  );
  return rows.length > 0;
}

/** Those who settle wait for the lock meanwhile, so it is looked for no longer than a list. */
async function isHeld(client: Runner, { ledger, blockedBy }: Write): Promise<boolean> {
  if (!blockedBy?.money) return false;
  await client.query(`set local statement_timeout = ${databaseLimits.listing}`);
  return (await createHolds(client)({ ledger, ...blockedBy.money })).length > 0;
}

/**
 * Whether another record has one of the labels that must be unique. The ledger's row is locked first: two that add the
 * same label meet there, and the later one sees the earlier.
 */
async function hasTakenLabels(client: Runner, { ledger, kind, luid, key, unique = [] }: Write): Promise<boolean> {
  await client.query('select from ledger where id = $1 for no key update', [ledger]);
  return (await createLabeled(client)({ ledger, kind, luid, key, labels: unique })) !== undefined;
}
