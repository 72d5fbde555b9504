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

/**
 * Tells the operator which writes are lost, as far as is known: compares what this server has shown of every log with what the
 * database has. A log that has less is stopped at once, before anybody reads it.
 */
export async function tellLosses({ pool, fence, publisher, logger, lost }: LossesOptions): Promise<void> {
  const { together, lines } = logLimits.losses;
  fence.reload();
  let logs = 0;
  for await (const shown of batchesOf(fence.shown(), together)) {
    const found = new Map((await findLogsOf(pool, shown.map(luidOf))).map((log) => [log.luid, log]));
    for (const checkpoint of shown) {
      const log = found.get(luidOf(checkpoint));
      if (!hasLess(log, checkpoint)) continue;
      logs += 1;
      const { origin, size } = checkpoint;
      const of = { ledger: luidOf(checkpoint), origin, shown: size, found: log?.size ?? 0 };
      if (logs <= lines) logger.error(of, 'writes are lost: the database has fewer leaves of a log than were shown');
      if (log) await publisher.examine(log.ledger).catch(onlyStopped);
    }
  }
  lost(logs);
  if (logs > lines) logger.error({ logs }, 'writes are lost in more logs than are told one by one');
  if (logs === 0) logger.info('the database has all that was shown of the logs');
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
