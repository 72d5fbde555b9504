import type { Signed } from '@countersign/client';

/** What is wrong between two versions that stand next to each other in a history. */
export type HistoryFault = 'missing' | 'parent' | 'order';

/**
 * Whether a version follows from the one before: its number is the next, an update names the hash of what it replaced, and
 * the others leave the data as it was.
 */
export function faultBetween(older: Signed, newer: Signed): HistoryFault | undefined {
  const [before, after] = [Number(older.meta.change), Number(newer.meta.change)];
  if (after <= before) return 'order';
  if (after !== before + 1) return 'missing';
  if (newer.meta.action === 'erase') return undefined;
  const follows = newer.hash === older.hash || newer.data.parent === older.hash;
  return follows ? undefined : 'parent';
}
