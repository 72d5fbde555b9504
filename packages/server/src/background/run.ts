import { backOff } from '../base/back-off.js';
import type { Claimed } from '../store/queries/leases.js';
import { LeaseLost } from './heartbeat.js';
import type { Shared } from './shared.js';
import type { BackgroundWorker } from './worker.js';

/** Why a run is aborted when the process stops. */
export class Stopping extends Error {
  constructor() {
    super('The process stops.');
  }
}

/** Why a run is aborted that takes longer than its worker allows. */
class TimedOut extends Error {
  constructor(milliseconds: number) {
    super(`The run took longer than ${milliseconds} ms.`);
  }
}

/** How a run ended: `lost` when its lease was lost, `stopped` when the process stops. */
export type Ended = 'done' | 'failed' | 'lost' | 'stopped';

/** A run that is under way. */
export interface Run {
  readonly unit: Claimed;
  /** Tells it to end. */
  abort(reason: Error): void;
  /**
   * Resolves when it has ended and the lease is given back; never rejects. `rest` is in milliseconds: nobody takes the
   * unit for so long.
   */
  readonly ended: Promise<{ readonly outcome: Ended; readonly rest: number }>;
}

/**
 * Runs a unit under its lease. One that was aborted for a lost lease gives nothing back, for it has nothing; one that takes
 * too long is aborted, and its lease renewed no more: should it not heed that, another process takes over when the lease
 * has ended.
 *
 * @param since when the lease was asked for, by `Shared.clock`
 */
export function startRun(shared: Shared, worker: BackgroundWorker, unit: Claimed, since: number): Run {
  const { heartbeat, clock, metrics } = shared;
  const { ledger, unit: name } = unit;
  const hold = heartbeat.keep({ worker: worker.name, ledger, unit: name }, since);
  const { controller } = hold;
  const abort = (reason: Error) => {
    heartbeat.drop(hold);
    controller.abort(reason);
  };
  const timer = setTimeout(() => abort(new TimedOut(worker.timeout)), worker.timeout);
  const began = clock();

  const run = async () => {
    let outcome: Ended = 'done';
    let error: unknown;
    try {
      await worker.run(unit, controller.signal);
    } catch (thrown) {
      error = controller.signal.aborted ? controller.signal.reason : thrown;
      outcome = outcomeOf(error);
    }
    clearTimeout(timer);
    heartbeat.drop(hold);
    metrics.ran(worker.name, outcome, (clock() - began) / 1000);
    return { outcome, rest: await settle(shared, worker, unit, outcome, error) };
  };
  return { unit, abort, ended: run() };
}

function outcomeOf(error: unknown): Ended {
  if (error instanceof LeaseLost) return 'lost';
  return error instanceof Stopping ? 'stopped' : 'failed';
}

/** Reports how the run ended, and gives the lease back. @returns milliseconds for which nobody takes the unit */
async function settle(
  { leases, failed, bounds, random }: Shared,
  worker: BackgroundWorker,
  unit: Claimed,
  outcome: Ended,
  err: unknown,
): Promise<number> {
  const key = { worker: worker.name, ledger: unit.ledger, unit: unit.unit };
  const about = { name: worker.name, ledger: unit.ledger, unit: unit.unit };
  let rest = 0;
  try {
    if (outcome === 'lost') failed({ ...about, step: 'renew', err });
    else if (outcome === 'stopped') await leases.release(key, 0, unit.failures);
    else if (outcome === 'failed') {
      const failures = unit.failures + 1;
      rest = backOff(bounds.retry, failures, random());
      failed({ ...about, step: 'run', failures, retryIn: Math.round(rest), err });
      await leases.release(key, rest, failures);
    } else if (worker.rest > 0) {
      rest = worker.rest;
      await leases.release(key, rest, 0);
    } else await leases.forget(key);
  } catch (error) {
    failed({ ...about, step: 'release', err: error });
  }
  return rest;
}
