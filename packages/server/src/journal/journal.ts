import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { LruCache } from '../base/lru-cache.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import type { Metrics } from '../metrics.js';
import { type Journaled, makeEntry, sortOf } from './entry.js';
import { journalLimits } from './journal-limits.js';
import { countEntries, type JournalMetrics } from './metrics.js';
import { EntryQueue, SORT_NAMES, SORTS, type Sort } from './queue.js';

/** The journals of requests, as a process writes them (interface/journal). */
export type Journal = ReturnType<typeof createJournal>;

interface JournalDeps extends Pick<Service, 'store' | 'suite' | 'runtime'> {
  readonly metrics: Pick<Metrics, 'registry'>;
  readonly logger: Pick<FastifyBaseLogger, 'warn'>;
}

/** Entries wait in memory, and are stored in batches, each of one ledger. A process that is killed loses those that wait. */
export function createJournal({ metrics: { registry }, logger, ...service }: JournalDeps) {
  const metrics = countEntries({ registry });
  const queue = new EntryQueue(metrics.dropped);
  const storeSort = createStoring(service.store, queue, metrics);
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> = Promise.resolve();
  let isRunning = false;
  let isFailing = false;
  let isStopped = false;

  /** Stores a batch of each ledger, so that one with many entries does not hold up the others. @returns whether one was full */
  const storeSome = async (): Promise<boolean> => {
    let wasFull = false;
    for (const ledger of queue.ledgers()) {
      try {
        for (const sort of SORTS) wasFull = (await storeSort(ledger, sort)) || wasFull;
      } catch (error) {
        queue.putLast(ledger);
        throw error;
      }
    }
    return wasFull;
  };

  const run = async (): Promise<void> => {
    isRunning = true;
    clearTimeout(timer);
    timer = undefined;
    try {
      while (await storeSome());
      isFailing = false;
    } catch (err) {
      if (!isFailing) logger.warn({ err }, 'entries of request journals cannot be stored, and wait');
      isFailing = true;
    }
    isRunning = false;
    if (queue.size > 0) wake(false);
  };
  const start = () => {
    storing = run();
  };
  /** Stores what waits: at once where that is a whole batch, unless the last attempt has failed. */
  const wake = (isFull: boolean) => {
    if (isRunning || isStopped) return;
    if (isFull && !isFailing) return start();
    timer ??= setTimeout(start, journalLimits.pause).unref();
  };

  return {
    /** Has an entry stored within a second or so; leaves it out where too many of its ledger wait. */
    add(ledger: Ledger, journaled: Journaled): void {
      wake(queue.add(ledger.id, sortOf(journaled), (dropped) => makeEntry(service, ledger, journaled, dropped)));
    },
    /** Stores what waits, as far as that takes no longer than `journalLimits.drain`. */
    async stop(): Promise<void> {
      isStopped = true;
      clearTimeout(timer);
      const late = AbortSignal.timeout(journalLimits.drain);
      const drain = async () => {
        await storing;
        while (queue.size > 0 && !late.aborted) await storeSome();
      };
      await Promise.race([drain().catch(() => {}), pause(journalLimits.drain, undefined, { ref: false })]);
      if (queue.size > 0) logger.warn({ entries: queue.size }, 'entries of request journals were lost at the end');
    },
  };
}

/** Stores the oldest entries of a sort, and deletes those beyond the ones that are kept. */
function createStoring({ quotas, journal }: Service['store'], queue: EntryQueue, metrics: JournalMetrics) {
  /** Entries that were stored since some were deleted, by ledger and sort. */
  const untrimmed = new LruCache<string, { count: number }>(journalLimits.ledgers);
  const { trimmed, kept } = journalLimits;
  const trim = async (ledger: number, sort: Exclude<Sort, 0>, stored: number) => {
    const since = untrimmed.getOrSet(`${ledger} ${sort}`, () => ({ count: 0 }));
    since.count += stored;
    if (since.count < trimmed) return;
    metrics.trimmed(await journal.trim(ledger, sort, kept[SORT_NAMES[sort]]));
    since.count = 0;
  };
  /** @returns whether there was a whole batch */
  return async (ledger: number, sort: Sort): Promise<boolean> => {
    const entries = queue.oldest(ledger, sort);
    if (entries.length === 0) return false;
    const isStored = sort === 0 || (await quotas.hasRoomForRefusals(ledger));
    if (isStored) await journal.insert(ledger, entries);
    queue.remove(ledger, sort, entries, isStored);
    if (isStored) metrics.stored(entries.length);
    if (isStored && sort !== 0) await trim(ledger, sort, entries.length);
    return entries.length === journalLimits.batch;
  };
}
