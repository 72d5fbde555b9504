import { backOff } from '../base/back-off.js';
import type { Claimed } from '../store/queries/leases.js';
import { LeaseLost } from './heartbeat.js';
import type { BackgroundWorker } from './worker.js';
import type { WorkerDeps } from './worker-deps.js';

/** The reason to abort a run when the process stops. */
export class Stopping extends Error {
  constructor() {
    super('The process is stopping.');
  }
}

/** The reason to abort a run that takes longer than its worker allows. */
class TimedOut extends Error {
  constructor(milliseconds: number) {
    super(`The run took longer than ${milliseconds} ms.`);
  }
}

/** How a run ended: `lost` with its lease, `stopped` with the process. */
export type RunEnd = 'done' | 'failed' | 'lost' | 'stopped';

/** A run that is under way. */
export type Run = ReturnType<typeof startRun>;

/**
 * Runs a unit under its lease. A run that takes too long is aborted, and the renewal of its lease ends: should the run
 * ignore the abort, another process takes over when the lease has expired. A run aborted for a lost lease has none to
 * release.
 *
 * @param since when the lease was asked for, by `Shared.clock`
 */
export function startRun(shared: WorkerDeps, worker: BackgroundWorker, unit: Claimed, since: number) {
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
    let outcome: RunEnd = 'done';
    let error: unknown;
    try {
      await worker.run(unit, controller.signal);
    } catch (thrown) {
      error = controller.signal.aborted ? controller.signal.reason : thrown;
      outcome = endOfRun(error);
    }
    clearTimeout(timer);
    heartbeat.drop(hold);
    metrics.ran(worker.name, outcome, (clock() - began) / 1000);
    return { outcome, rest: await finishRun(shared, worker, unit, outcome, error) };
  };
  return {
    unit /** Aborts the run. */,
    abort /**
     * Always resolves, when the run has ended and the lease is released. `rest` is in milliseconds: the unit stays
     * unclaimed for so long.
     */,
    ended: run(),
  };
}

function endOfRun(error: unknown): RunEnd {
  if (error instanceof LeaseLost) return 'lost';
  return error instanceof Stopping ? 'stopped' : 'failed';
}

/** Reports how the run ended, and releases the lease. @returns milliseconds for which the unit stays unclaimed */
async function finishRun(
  { leases, failed, bounds, random }: WorkerDeps,
  worker: BackgroundWorker,
  unit: Claimed,
  outcome: RunEnd,
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
    } else if (worker.rest > 0 || worker.takesTurns) {
      rest = worker.rest;
      await leases.release(key, rest, 0);
    } else await leases.forget(key);
  } catch (error) {
    failed({ ...about, step: 'release', err: error });
  }
  return rest;
}
