import { setTimeout as pause } from 'node:timers/promises';
import { backOff, spread } from '../base/back-off.js';
import type { DueUnits } from '../store/queries/leases.js';
import { Alarm } from './alarm.js';
import { type Run, Stopping, startRun } from './run.js';
import type { BackgroundWorker } from './worker.js';
import type { WorkerDeps } from './worker-deps.js';

/** The loop of one worker in one process. */
export type Loop = ReturnType<typeof startLoop>;

const NO_UNITS: DueUnits = { claimed: [], chosen: 0, lag: 0 };

/**
 * Looks for due units repeatedly: at least every `worker.every` milliseconds, with jitter; when a unit that is held or
 * rests may be free; at once after a look that filled all free slots, or lost a unit to another process; and when it is
 * woken. Looks are at least `bounds.pause` milliseconds apart.
 */
export function startLoop(shared: WorkerDeps, worker: BackgroundWorker) {
  const { metrics, failed, bounds, clock, random } = shared;
  const runs = new Set<Run>();
  let stopped = false;
  let looking: Promise<void> | undefined;
  /** Whether another look is wanted as soon as possible. */
  let wanted = false;
  /** Failed looks in a row. */
  let failures = 0;

  const alarm = new Alarm(clock, () => {
    wanted = true;
    looking ??= look().finally(() => {
      looking = undefined;
    });
  });

  const wake = () => {
    wanted = true;
    // A look under way may have missed the reason for this call. With all slots taken, the next free one looks.
    if (!looking && runs.size < worker.concurrency) alarm.set(0);
  };

  const start = (unit: Run['unit'], since: number) => {
    const run = startRun(shared, worker, unit, since);
    runs.add(run);
    void run.ended.then(({ outcome, rest }) => {
      runs.delete(run);
      if (wanted || (outcome === 'done' && rest === 0)) wake();
      else alarm.set(rest + bounds.jitter * random());
    });
  };

  /** Claims units for the free slots. @returns milliseconds until the next look */
  const take = async (count: number): Promise<number> => {
    if (shared.isPaused() || worker.isPaused?.()) return spread(worker.every, random());
    const units = await claimUnits(shared, worker, runs, count, () => stopped);
    const { claimed, chosen, lag, wait = worker.every, since } = units;
    metrics.lag(worker.name, lag);
    for (const unit of claimed) start(unit, since);
    // What was chosen and lost took the place of others, which may be free.
    if (claimed.length === count || claimed.length < chosen) wanted = true;
    return Math.min(spread(worker.every, random()), wait + bounds.jitter * random());
  };

  const look = async () => {
    const count = worker.concurrency - runs.size;
    let delay = spread(worker.every, random());
    if (count > 0) {
      // A wake from here on asks for the next look.
      wanted = false;
      alarm.notBefore = clock() + bounds.pause;
      try {
        delay = await take(count);
        failures = 0;
      } catch (error) {
        failures += 1;
        // At most the lease: after that time another process would take over from a dead one, and due units wait for
        // this.
        delay = Math.min(backOff(bounds.retry, failures, random()), bounds.lease);
        failed({ name: worker.name, step: 'claim', failures, retryIn: Math.round(delay), err: error });
      }
    }
    alarm.set(wanted && runs.size < worker.concurrency ? 0 : delay);
  };

  alarm.set(bounds.jitter * random());
  return {
    /** Looks for due units at once, or as soon as a slot is free. */
    wake,
    /** Whether it runs a unit, or may be about to. */
    isBusy: () => runs.size > 0 || looking !== undefined,
    /**
     * Stops claiming units and lets running ones finish; after `bounds.drain` milliseconds it aborts them, and waits
     * `bounds.grace` more. The lease of a unit that still runs then expires by itself.
     */
    async stop(): Promise<void> {
      stopped = true;
      alarm.stop();
      worker.stopping?.();
      await looking;
      await endRuns(runs, bounds);
    },
  };
}

/** Claims units for the free slots, and says since when they are held. */
async function claimUnits(
  { leases, bounds, clock, inTurn }: WorkerDeps,
  { name, due, dueInCluster, each }: BackgroundWorker,
  runs: ReadonlySet<Run>,
  count: number,
  isStopped: () => boolean,
): Promise<DueUnits & { readonly since: number }> {
  let since = clock();
  const found = await inTurn(async (): Promise<DueUnits> => {
    // The turn may come late, and a stop waits for it.
    if (isStopped()) return NO_UNITS;
    since = clock();
    const running = [...runs].map(({ unit }) => unit);
    return leases.claim({ worker: name, due, dueInCluster, lease: bounds.lease, count, each, running });
  });
  return { ...found, since };
}

/** Lets the runs finish, and aborts those that are late. */
async function endRuns(runs: ReadonlySet<Run>, { drain, grace }: WorkerDeps['bounds']): Promise<void> {
  const ended = Promise.all([...runs].map((run) => run.ended));
  if (await settlesWithin(ended, drain)) return;
  for (const run of runs) run.abort(new Stopping());
  await settlesWithin(ended, grace);
}

/** Whether the promise settles within so many milliseconds. */
async function settlesWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const controller = new AbortController();
  try {
    const late = pause(milliseconds, false, { signal: controller.signal }).catch(() => false);
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    controller.abort();
  }
}
