import type { Suite } from '@countersign/protocol';
import { acceptCheckpoint, LogError, type Policy } from '@countersign/protocol/log';
import type { FastifyBaseLogger } from 'fastify';
import { cacheLimits, LruCache } from '../base/lru-cache.js';
import type { LogCodes } from '../integrity/log-leaves.js';
import { findServedLog, type ServedLog, stopLog } from '../store/log/sealing.js';
import type { Queryable } from '../store/queries/statement.js';
import { checkpointKey } from './checkpoint.js';
import { contradictionOf } from './contradiction.js';
import { type Fence, type PublishedCheckpoint, readPublished } from './fence.js';
import { isAuthentic } from './log-defect.js';
import type { LogMetrics } from './metrics.js';
import { createProofs, type LogProofs } from './proofs.js';
import type { SystemKeyOf } from './system-keys.js';

/** The log of a ledger contradicts what was shown of it: nothing of it is shown any more (interface/log#restores). */
export class LogStopped extends Error {}

/** A checkpoint as it is shown, and what shows it. */
export interface ShownCheckpoint extends PublishedCheckpoint {
  /** Luid of the ledger. */
  readonly luid: string;
  readonly generation: number;
}

/** Shows checkpoints. Whatever is shown is in the fence before. */
export type Publisher = ReturnType<typeof createPublisher>;

/** A log, and its newest checkpoint. */
interface FoundLog {
  readonly log: ServedLog;
  readonly newest: ShownCheckpoint;
}

export interface PublisherOptions {
  readonly on: Queryable;
  readonly fence: Fence;
  readonly metrics: Pick<LogMetrics, 'stopped'>;
  readonly logger: FastifyBaseLogger;
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number;
  /** Whose cosignatures checkpoints have; undefined without witnesses. */
  readonly policy: Policy | undefined;
  readonly suite: Suite;
  readonly systemKey: SystemKeyOf;
  readonly logCodes: LogCodes;
}

/** Milliseconds for which a checkpoint is shown without a look at the database. */
const FRESH_MILLISECONDS = 1_000;

export function createPublisher(options: PublisherOptions) {
  const { on, fence, metrics, logger, clock, logCodes } = options;
  const recent = new LruCache<number, { readonly shown: ShownCheckpoint; readonly since: number }>(cacheLimits.ledgers);
  const proofs = createProofs(on);

  const stopContradicted = async (
    ledger: number,
    { origin, luid }: Pick<ShownCheckpoint, 'origin' | 'luid'>,
    why: string,
  ): Promise<void> => {
    await stopLog(on, ledger, origin, why);
    recent.delete(ledger);
    metrics.stopped();
    logger.error({ ledger: luid, origin }, `the log of a ledger is stopped: ${why}`);
  };

  /** The log with its newest checkpoint, which goes on from what was shown. */
  const read = async (ledger: number): Promise<FoundLog | undefined> => {
    let log = await findServedLog(on, ledger);
    if (!log) return undefined;
    const last = await fence.last(log.origin);
    // Another process may have sealed and shown more between the two.
    if (last && last.size > log.size) log = await findServedLog(on, ledger);
    if (!log) return undefined;
    if (log.stopped !== null) throw new LogStopped(log.stopped);
    if (!isAuthentic(log, logCodes)) {
      await stopContradicted(ledger, log, 'its row was altered in the database');
      throw new LogStopped('its row was altered in the database');
    }
    if (log.checkpoint === null) return undefined;
    const newest = { ...readPublished(log.checkpoint), generation: log.generation, luid: log.luid };
    const why = last?.origin === log.origin ? await whyContradicted(ledger, newest, last, proofs) : undefined;
    if (why !== undefined) {
      await stopContradicted(ledger, newest, why);
      throw new LogStopped(why);
    }
    return { log, newest };
  };

  const reading = new Map<number, Promise<ShownCheckpoint | undefined>>();
  /** Reads anew, once for all who ask meanwhile. */
  const renew = (ledger: number): Promise<ShownCheckpoint | undefined> => {
    const underWay = reading.get(ledger);
    if (underWay) return underWay;
    const since = clock();
    const begun = read(ledger)
      .then(async (found) => {
        const shown = found && (await chooseCheckpoint(options, found));
        if (!shown) return undefined;
        await fence.raise(shown.note);
        recent.set(ledger, { shown, since });
        return shown;
      })
      .finally(() => reading.delete(ledger));
    reading.set(ledger, begun);
    return begun;
  };

  return {
    /**
     * The newest checkpoint that is shown; one of the last second where it has `least` leaves. Where the policy has a
     * quorum, it is the newest that meets it; else it has the cosignatures that there are.
     *
     * @returns undefined while nothing is sealed, or cosigned
     * @throws LogStopped
     */
    async current(ledger: number, least = 0): Promise<ShownCheckpoint | undefined> {
      const kept = recent.get(ledger);
      if (kept && kept.shown.size >= least && clock() - kept.since < FRESH_MILLISECONDS) return kept.shown;
      const isLate = reading.has(ledger);
      const shown = await renew(ledger);
      // What was under way may have been read before the leaf was sealed that is asked for.
      return isLate && shown && shown.size < least ? renew(ledger) : shown;
    },
    /** The newest checkpoint, to be shown to witnesses: with the signature of the log alone. @throws LogStopped */
    async newest(ledger: number): Promise<ShownCheckpoint | undefined> {
      const found = await read(ledger);
      if (found) await fence.raise(found.newest.note);
      return found?.newest;
    },
    /** Looks whether the log goes on from what was shown. @throws LogStopped */
    examine: (ledger: number): Promise<unknown> => read(ledger),
    /** Stops a log that somebody shows to contradict itself. */
    stopLog: stopContradicted,
  };
}

/** Why a checkpoint does not go on from what was shown last; undefined where it does. */
async function whyContradicted(
  ledger: number,
  next: PublishedCheckpoint,
  last: PublishedCheckpoint,
  proofs: LogProofs,
): Promise<string | undefined> {
  const contradiction = await contradictionOf(ledger, next, last, proofs);
  if (contradiction === 'shorter') return `it has ${next.size} leaves, and ${last.size} were shown`;
  return contradiction && `it does not begin with the ${last.size} leaves that were shown`;
}

/** Of the newest checkpoint and the newest that is cosigned, the one to show. */
async function chooseCheckpoint(
  options: PublisherOptions,
  { log, newest }: FoundLog,
): Promise<ShownCheckpoint | undefined> {
  const { policy } = options;
  if (!policy) return newest;
  const cosigned = await readCosigned(options, { log, newest });
  return policy.quorum !== undefined || (cosigned?.size === newest.size && isSameRoot(cosigned, newest))
    ? cosigned
    : newest;
}

/** The cosigned checkpoint, where the policy takes it as it is today, and the log has signed it. */
async function readCosigned(
  options: PublisherOptions,
  { log, newest }: FoundLog,
): Promise<ShownCheckpoint | undefined> {
  const { policy, systemKey, suite } = options;
  const key = await systemKey(log.ledger);
  if (log.cosigned === null || !policy || !key) return undefined;
  try {
    acceptCheckpoint(log.cosigned, { ...policy, logs: [checkpointKey(log.origin, key)] }, suite);
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    return undefined;
  }
  const cosigned = { ...newest, ...readPublished(log.cosigned) };
  return cosigned.size <= newest.size ? cosigned : undefined;
}

function isSameRoot(one: PublishedCheckpoint, other: PublishedCheckpoint): boolean {
  return Buffer.compare(one.root, other.root) === 0;
}
