import type { Claimed } from '../store/queries/leases.js';

/**
 * A sort of work that has no request behind it. It runs in every process of the deployment; the unit of work is what one
 * process does at a time: all of the deployment's, one ledger's, or one row of a table.
 *
 * A lease keeps others from a unit while it runs, mostly: it is for speed, and decides nothing about truth. So a run looks
 * itself whether there is something to do, and what it stores is checked where it is stored, as by a compare-and-set.
 * Work is done at least once.
 */
export interface BackgroundWorker {
  /** Unique; the worker's name in the table of leases, in hints, metrics and the log. It stays the same over releases. */
  readonly name: string;
  /**
   * SQL that lists due units: a query with the columns `ledger_id bigint` (0 for the deployment), `unit text` (empty where
   * a ledger has one), `since timestamptz` (when the unit became due; null for whenever the last run has rested).
   *
   * It is run often, so an index answers it, and it bounds what it lists: where a ledger may have many due units, by a few
   * of each ledger. The runtime shares out what it finds, and sees no more than `limits.background.listed`.
   */
  readonly due: string;
  /** Milliseconds: each process looks for due units at least so often, whether or not a hint came. */
  readonly every: number;
  /** Milliseconds for which a unit is left alone after a run that succeeded, though it be due; 0 for a unit that may go on. */
  readonly rest: number;
  /** Milliseconds that one run may take before it is aborted, and counts as failed. */
  readonly timeout: number;
  /** Units that one process runs at a time: in all, and of one ledger. */
  readonly lanes: number;
  readonly each: number;
  /**
   * Runs one unit, a bounded piece of work.
   *
   * @param signal aborted when the lease is lost, when the run takes too long, or when the process stops
   * @throws what failed: the unit is tried again after a back-off
   */
  run(unit: Claimed, signal: AbortSignal): Promise<void>;
}
