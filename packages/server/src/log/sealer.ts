import type { Suite } from '@countersign/protocol';
import type { FastifyBaseLogger } from 'fastify';
import pg from 'pg';
import { Alarm } from '../background/alarm.js';
import type { LogCodes, MakeLeaf } from '../integrity/log-leaves.js';
import { type Dirty, findDirty, type Queued, type Share, takeQueued } from '../store/log/queue.js';
import { beginLogs, findServedLog, lockLogs, readLuids, type StoredLog, stopLog } from '../store/log/sealing.js';
import { isDistributed } from '../store/nodes/distribution.js';
import { isCanceled } from '../store/queries/statement.js';
import type { Check } from '../store/queries/version.js';
import { transaction } from '../store/transaction.js';
import { isUnavailable } from '../store/unavailable.js';
import type { Tracing } from '../tracing/tracing.js';
import { appendLeaves } from './append.js';
import { backfillLog } from './backfill.js';
import type { Fence } from './fence.js';
import { logDefect } from './log-defect.js';
import { logLimits } from './log-limits.js';
import type { LogMetrics } from './metrics.js';
import type { SystemKeyOf } from './system-keys.js';
import { AlteredLeaves } from './tree-rows.js';

export interface SealerOptions {
  readonly pool: pg.Pool;
  readonly suite: Suite;
  readonly fence: Fence;
  readonly systemKey: SystemKeyOf;
  readonly leaf: MakeLeaf;
  readonly check: Check;
  readonly logCodes: LogCodes;
  /** What origins begin with: the address of the service, without a scheme, and `/log/`. */
  readonly prefix: () => string;
  readonly metrics: LogMetrics;
  readonly logger: FastifyBaseLogger;
  readonly tracing: Tracing;
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number;
  /** Whether nothing is sealed for a while. */
  readonly isPaused: () => boolean;
}

/**
 * Seals queued leaves into the logs of their ledgers, in rounds (decision 0033). Each round takes all ledgers that have leaves
 * queued, some in one transaction. No process leads: the lock of a ledger's log keeps others from that ledger, and they leave
 * it out.
 */
export function createSealer(options: SealerOptions) {
  const { clock, logger } = options;
  const { tick, poll } = logLimits;
  const resting: RestingLedgers = new Map();
  let own: Own = new Map();
  let isStopped = false;
  let number = 0;
  let running: Promise<void> | undefined;
  let isWanted = false;

  const round = async () => {
    isWanted = false;
    alarm.notBefore = clock() + tick;
    if (options.isPaused()) return alarm.set(poll);
    try {
      number += 1;
      const last = own;
      own = new Map();
      const found = await sealAll({ ...options, resting, last, own, number, isStopped: () => isStopped });
      // What another process holds, or what came meanwhile, is looked for in the next round.
      alarm.set(found || isWanted ? tick : poll);
    } catch (err) {
      logger.error({ err }, 'changes could not be sealed into the log, and are tried again');
      options.metrics.failed();
      alarm.set(poll);
    }
  };
  const alarm = new Alarm(clock, () => {
    running ??= round().finally(() => {
      running = undefined;
    });
  });
  let isStarted = false;
  return {
    /** Something was queued. */
    wake(): void {
      isWanted = true;
      if (isStarted && !running) alarm.set(0);
    },
    /** Begins. */
    start(): void {
      isStarted = true;
      alarm.set(0);
    },
    /** Finishes a seal under way, and begins no other. */
    async stop(): Promise<void> {
      isStopped = true;
      alarm.stop();
      await running;
    },
  };
}

/** Ledgers that could not be sealed, and until when they are left alone (milliseconds of the clock). */
type RestingLedgers = Map<number, number>;

/** Sizes of logs, by ledger, as a round of this process left them. */
type Own = Map<number, number>;

/** What a round works with. */
interface SealingRound extends SealerOptions {
  readonly resting: RestingLedgers;
  /** What the round before has sealed, and what this one has. */
  readonly last: Own;
  readonly own: Own;
  /** Rounds so far. */
  readonly number: number;
  readonly isStopped: () => boolean;
}

/** Goes over all ledgers once. @returns whether there was anything to seal */
async function sealAll(round: SealingRound): Promise<boolean> {
  const { pool, resting, clock, isStopped } = round;
  const { together, recent } = logLimits;
  let found = false;
  let page: readonly Dirty[];
  let after = 0;
  do {
    page = await findDirty(pool, after, together, recent);
    after = page.at(-1)?.ledger ?? after;
    const dirty = page.filter(({ ledger }) => (resting.get(ledger) ?? 0) <= clock());
    if (dirty.length === 0) continue;
    found = true;
    await sealPage(round, dirty);
    // What has come meanwhile is for the next round: a page that is not full is the last.
  } while (page.length === together && !isStopped());
  return found;
}

/** Seals what is queued, then adds changes of before the log to one of the ledgers that lack them: they take turns. */
async function sealPage(round: SealingRound, dirty: readonly Dirty[]): Promise<void> {
  const { number, last, isStopped } = round;
  const fresh = dirty.filter(({ hasLog }) => !hasLog).map(({ ledger }) => ledger);
  if (fresh.length > 0) await onNodes(round, fresh, (some) => beginSealing(round, some));
  // What another process has just sealed is left to it for this round: a seal costs much more than a leaf.
  const isOthers = ({ isRecent, ledger, size }: Dirty) => isRecent && last.get(ledger) !== size;
  let ready = dirty.filter((one) => !one.isBehind && !isOthers(one)).map(({ ledger }) => ledger);
  // Ledgers with leaves left are sealed again: the limit is split among fewer of them.
  for (let again = 0; ready.length > 0 && again < MOST_IN_A_ROW && !isStopped(); again += 1) {
    ready = await onNodes(round, ready, (some) => sealEach(round, some, takeFromQueue));
  }
  const behind = dirty.filter(({ isBehind }) => isBehind).map(({ ledger }) => ledger);
  if (behind.length > 0 && !isStopped())
    await onNodes(round, [behind[number % behind.length]!], (some) => sealEach(round, some, takeUnlogged));
}

/**
 * Does something for some ledgers together; in a cluster for one after the other, since no transaction spans two ledgers, which may be on
 * two nodes. There, a node that is out of reach or takes no writes stops its own ledgers only, which are left alone for a while.
 *
 * @returns those that may have more
 * @throws what says that the coordinator is out of reach
 */
async function onNodes(
  round: SealingRound,
  ledgers: readonly number[],
  work: (ledgers: readonly number[]) => Promise<number[]>,
): Promise<number[]> {
  const { pool, resting, clock } = round;
  if (!(await isDistributed(pool))) return work(ledgers);
  const more: number[] = [];
  for (const ledger of ledgers) {
    if ((resting.get(ledger) ?? 0) > clock()) continue;
    try {
      more.push(...(await work([ledger])));
    } catch (err) {
      // It came over a working connection to the coordinator: the node of this ledger is out of reach, or takes no writes.
      if (!(err instanceof pg.DatabaseError)) throw err;
      await restLedger(round, ledger, err);
    }
  }
  return more;
}

/** How often in a row ledgers are sealed that have more than was taken. */
const MOST_IN_A_ROW = 8;

async function beginSealing({ pool, prefix, logCodes }: SealingRound, ledgers: readonly number[]): Promise<number[]> {
  const logs = (await readLuids(pool, ledgers)).map(({ ledger, luid }) => {
    const origin = prefix() + luid.slice(1);
    const tree = { generation: 1, origin, size: 0, edge: Buffer.alloc(0), checkpoint: null };
    return { ledger, origin, mac: logCodes.tree(ledger, tree) };
  });
  await beginLogs(pool, logs);
  return [];
}

/** Finds leaves for logs that are locked, and takes them. */
type Take = (round: SealingRound, client: pg.PoolClient, logs: readonly StoredLog[]) => Promise<TakenLeaves>;

interface TakenLeaves {
  readonly leaves: readonly Queued[];
  /** Ledgers that may have more. */
  readonly more: readonly number[];
}

const takeFromQueue: Take = async (_, client, logs) => {
  const ledgers = logs.map(({ ledger }) => ledger);
  const { batches, writes } = logLimits;
  const share = { batches: Math.ceil(batches / logs.length), writes: Math.ceil(writes / logs.length) };
  const leaves = await takeQueued(client, ledgers, share);
  const more = ledgers.filter((ledger) => hasMore(leaves, ledger, share));
  return { leaves, more };
};

function hasMore(leaves: readonly Queued[], ledger: number, share: Share): boolean {
  const own = leaves.filter((one) => one.ledger === ledger);
  const writes = own.reduce((sum, { luids }) => sum + luids.length, 0);
  return own.length >= share.batches || writes >= share.writes;
}

/** For ledgers that lack changes of before the log. */
const takeUnlogged: Take = async (round, client, logs) => {
  return { leaves: await backfillLog(client, logs[0]!, round), more: [] };
};

/**
 * Seals ledgers together, and in halves when that fails: what is wrong with one leaves the others alone.
 *
 * @returns those that may have more
 * @throws what says that the database is out of reach
 */
async function sealEach(round: SealingRound, ledgers: readonly number[], take: Take): Promise<number[]> {
  try {
    const more = await sealTogether(round, ledgers, take);
    for (const ledger of ledgers) round.resting.delete(ledger);
    return more;
  } catch (err) {
    // A statement that took too long says nothing about others.
    if (isUnavailable(err) && !isCanceled(err)) throw err;
    if (ledgers.length === 1) {
      await restLedger(round, ledgers[0]!, err);
      return [];
    }
    const middle = ledgers.length >> 1;
    const first = await sealEach(round, ledgers.slice(0, middle), take);
    return [...first, ...(await sealEach(round, ledgers.slice(middle), take))];
  }
}

/** Leaves a ledger alone for a while, and stops its log where somebody has altered the queue. */
async function restLedger(round: SealingRound, ledger: number, err: unknown): Promise<void> {
  const { pool, resting, clock, metrics, logger } = round;
  resting.set(ledger, clock() + logLimits.rest);
  metrics.failed();
  logger.error({ err, ledger }, 'changes of a ledger could not be sealed, and are tried again');
  if (!(err instanceof AlteredLeaves)) return;
  const log = await findServedLog(pool, ledger);
  if (log) await haltLog(round, log, err.message);
}

/** Seals leaves of some ledgers in one transaction. @returns those that may have more */
async function sealTogether(round: SealingRound, ledgers: readonly number[], take: Take): Promise<number[]> {
  const { pool, metrics, clock, resting, tracing } = round;
  const began = clock();
  const stopped: { log: StoredLog; why: string }[] = [];
  const seal = async (client: pg.PoolClient) => {
    const locked = await lockLogs(client, ledgers);
    const judged = await Promise.all(locked.map((log) => judgeLog(round, log)));
    for (const { log, why, maySign } of judged) {
      if (why !== undefined) stopped.push({ log, why });
      // A key may come with another import; until then there is nothing to sign with.
      if (!maySign) resting.set(log.ledger, clock() + logLimits.keyless);
    }
    const sound = judged.flatMap(({ log, why, maySign }) => (maySign && why === undefined ? [log] : []));
    if (sound.length === 0) return { count: 0, sizes: new Map<number, number>(), more: [] };
    const taken = await take(round, client, sound);
    return { ...(await appendLeaves(round, client, sound, taken.leaves)), more: [...taken.more] };
  };
  const { count, sizes, more } = await tracing.root('seal', async () => {
    const sealed = await transaction(pool, seal);
    tracing.note({ 'countersign.leaves': sealed.count });
    return sealed;
  });
  for (const [ledger, size] of sizes) round.own.set(ledger, size);
  if (count > 0) metrics.sealed(count, (clock() - began) / 1000);
  for (const { log, why } of stopped) await haltLog(round, log, why);
  return more;
}

/** Whether a log may go on, and has something to sign with: a ledger without its private key is read only. */
async function judgeLog({ systemKey, fence, logCodes }: SealerOptions, log: StoredLog) {
  const [key, shown] = await Promise.all([systemKey(log.ledger), fence.last(log.origin)]);
  return { log, maySign: key !== undefined, why: key && logDefect(log, shown, logCodes) };
}

/** Stops a log, and says so. */
async function haltLog(
  { pool, logger, metrics }: Pick<SealerOptions, 'pool' | 'logger' | 'metrics'>,
  { ledger, luid, origin }: StoredLog,
  why: string,
) {
  await stopLog(pool, ledger, origin, why);
  metrics.stopped();
  logger.error({ ledger: luid, origin }, `the log of a ledger is stopped: ${why}`);
}
