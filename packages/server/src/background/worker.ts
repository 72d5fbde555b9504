import type { Claimed } from '../store/queries/leases.js';

/** `BackgroundWorker.due` for one unit of the whole deployment, which is due as soon as its rest is over. */
export const ONE_OF_ALL = `select 0::bigint, '', null::timestamptz`;

/**
 * A sort of work that runs outside requests, in every process of the deployment. One process at a time runs a unit of
 * it: all of the deployment's work, one ledger's, or one row of a table.
 *
 * A lease mostly keeps other processes from a unit while it runs. It is an optimisation and guarantees nothing: a run
 * itself checks whether there is something to do, and its writes are verified where they are stored, as by a
 * compare-and-set. Units run at least once.
 */
export interface BackgroundWorker {
  /**
   * Unique name of the worker in the table of leases, in hints, metrics and the log. It stays the same over releases.
   */
  readonly name: string;
  /**
   * SQL that lists due units: a query with the columns `ledger_id bigint` (0 for the deployment), `unit text` (empty
   * where a ledger has one), `since timestamptz` (when the unit became due; null for a unit that is due as soon as its rest is over).
   *
   * `clock` is a table of one row whose `now` is the time by the clock of the service, which tests move.
   *
   * It runs often, so an index must answer it, and it bounds what it lists: where a ledger may have many due units, to
   * a few of each ledger. The runtime shares them out, and sees `queryLimits.due.listed` at most.
   */
  readonly due: string;
  /** The same without recursion, for a database whose ledgers are spread over nodes; `due` unless given. */
  readonly dueInCluster?: string;
  /** Milliseconds: each process looks for due units at least so often, with or without a hint. */
  readonly every: number;
  /** Milliseconds for which even a due unit rests after a run that succeeded; 0 for a unit that may go on. */
  readonly rest: number;
  /**
   * Set for units that are due again as soon as they have run: the one whose last run is longest ago goes first, so that
   * those with much to do leave the others their turns. It keeps a row of each in the table of leases.
   */
  readonly takesTurns?: true;
  /** Milliseconds that one run may take; a longer one is aborted and counts as failed. */
  readonly timeout: number;
  /** Units that one process runs at a time: in all, and of one ledger. */
  readonly concurrency: number;
  readonly each: number;
  /** Whether no unit is claimed for the time being; looked at once every `every` milliseconds. */
  isPaused?(): boolean;
  /** Called for every hint, in each process: units that run may have something new to do. */
  hinted?(): void;
  /** Called once, when the process stops: runs finish what they have begun, and begin nothing more. */
  stopping?(): void;
  /**
   * Runs one unit, a bounded piece of work.
   *
   * @param signal aborted when the lease is lost, when the run takes too long, or when the process stops
   * @throws what failed: the unit is tried again after a back-off
   */
  run(unit: Claimed, signal: AbortSignal): Promise<void>;
}
