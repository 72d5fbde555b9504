import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import { findLogsOf, type LogOfLedger } from '../store/log/losses.js';
import type { Fence, PublishedCheckpoint } from './fence.js';
import { logLimits } from './log-limits.js';
import { LogStopped, type Publisher } from './publish.js';

export interface LossesOptions {
  readonly pool: pg.Pool;
  readonly fence: Pick<Fence, 'reload' | 'shown'>;
  readonly publisher: Pick<Publisher, 'examine'>;
  readonly logger: FastifyBaseLogger;
  /** Told of how many logs the database has less than was shown. */
  readonly lost: (logs: number) => void;
}

/** What a comparison has come to. */
interface ToldLosses {
  /** Luids of the ledgers whose logs the database has less of than was shown. */
  readonly less: readonly string[];
  /** Luids of ledgers that could not be compared, since their node of the cluster is down. */
  readonly away: readonly string[];
}

/**
 * Tells the operator which writes are lost, as far as is known: compares what this server has shown of every log with what the
 * database has. A log that has less is stopped at once, before anybody reads it.
 *
 * @param only luids of the ledgers that are compared; all of them unless given
 */
export async function tellLosses(
  { pool, fence, publisher, logger }: LossesOptions,
  only?: ReadonlySet<string>,
): Promise<ToldLosses> {
  const { together, lines } = logLimits.losses;
  fence.reload();
  const less: string[] = [];
  const unknown: string[] = [];
  const isMeant = (luid: string) => only === undefined || only.has(luid);
  for await (const shown of batchesOf(fence.shown(), together)) {
    const there = await findLogsOf(pool, shown.map(luidOf));
    const found = new Map(there.logs.map((log) => [log.luid, log]));
    const away = new Set(there.away);
    unknown.push(...there.away.filter(isMeant));
    for (const checkpoint of shown) {
      const ledger = luidOf(checkpoint);
      const log = found.get(ledger);
      if (!isMeant(ledger) || away.has(ledger) || !hasLess(log, checkpoint)) continue;
      less.push(ledger);
      const { origin, size } = checkpoint;
      const of = { ledger, origin, shown: size, found: log?.size ?? 0 };
      if (less.length <= lines)
        logger.error(of, 'writes are lost: the database has fewer leaves of a log than were shown');
      if (log) await publisher.examine(log.ledger).catch(onlyStopped);
    }
  }
  if (less.length > lines) logger.error({ logs: less.length }, 'writes are lost in more logs than are told one by one');
  if (less.length === 0 && unknown.length === 0) {
    if (only === undefined) logger.info('the database has all that was shown of the logs');
    else logger.info({ ledgers: only.size }, 'of these ledgers, the database has all that was shown of the logs');
  }
  return { less, away: unknown };
}

/** Whether the database has less of a log than was shown. An earlier generation is not compared. */
function hasLess(log: LogOfLedger | undefined, { origin, size }: PublishedCheckpoint): boolean {
  if (log === undefined || log.origin === null) return true;
  return log.origin === origin && log.size < size;
}

/** The ledger of a log: origins end with its luid, and with the number of a later generation. */
function luidOf({ origin }: PublishedCheckpoint): string {
  return `$${origin
    .replace(/\/\d+$/, '')
    .split('/')
    .at(-1)}`;
}

function onlyStopped(error: unknown): void {
  if (!(error instanceof LogStopped)) throw error;
}

async function* batchesOf<T>(all: AsyncIterable<T>, count: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const one of all) {
    batch.push(one);
    if (batch.length < count) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
