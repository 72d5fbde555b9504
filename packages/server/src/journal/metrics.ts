import { Counter } from 'prom-client';
import type { Metrics } from '../metrics.js';

/** What became of entries of journals. */
export interface JournalMetrics {
  stored(entries: number): void;
  dropped(entries: number): void;
  trimmed(entries: number): void;
}

/** Adds what became of entries. Those that are dropped or trimmed are missing in the journals of tenants. */
export function countEntries({ registry }: Pick<Metrics, 'registry'>): JournalMetrics {
  const entries = new Counter({
    name: 'countersign_journal_entries_total',
    help: 'Entries of request journals: `stored`, or `dropped` since too many of their ledger waited or it had no room; `trimmed` are deleted for later ones of their sort.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  return {
    stored: (count) => entries.inc({ outcome: 'stored' }, count),
    dropped: (count) => entries.inc({ outcome: 'dropped' }, count),
    trimmed: (count) => entries.inc({ outcome: 'trimmed' }, count),
  };
}
