import type { BackgroundWorker } from '../background/worker.js';
import { ONE_OF_ALL } from '../background/worker.js';
import type { JournalStore } from '../store/journal/entries.js';
import { journalLimits } from './journal-limits.js';

const DAY_MILLISECONDS = 86_400_000;

/**
 * Deletes entries of journals once their time is over, every ten minutes in the whole deployment.
 *
 * @param days for which they are kept
 * @param now milliseconds since 1970
 */
export function sweepJournals(store: JournalStore, days: number, now: () => number): BackgroundWorker {
  return {
    name: 'sweep-journals',
    due: ONE_OF_ALL,
    every: 600_000,
    rest: 600_000,
    timeout: 300_000,
    concurrency: 1,
    each: 1,
    async run(_unit, signal) {
      const before = new Date(now() - days * DAY_MILLISECONDS);
      for (;;) {
        const ledgers = await store.findExpired(before, signal);
        if (ledgers.length === 0) return;
        for (const ledger of ledgers) await store.forget(ledger, before, journalLimits.swept, signal);
      }
    },
  };
}
