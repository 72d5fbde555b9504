import { setImmediate as nextTurn } from 'node:timers/promises';

/** Calls that are gathered: writes into commits, lookups into queries. */
export const gatherLimits = {
  /** Writes of one commit, lookups of one query. */
  batch: 256,
  /** Writes that may wait for a commit, lookups for a query; further ones are refused. */
  queue: 10_000,
} as const;

/** The queue is full: the caller is refused at once, so that the answers already owed stay timely. */
export class Overloaded extends Error {
  constructor(message = 'The queue is full.') {
    super(message);
  }
}

/** Called for each run, with the number of its items and the seconds that the oldest of them has waited. */
export type Watch = (size: number, waited: number) => void;

interface WaitingItem<In, Out> {
  readonly item: In;
  readonly since: number;
  resolve(out: Out): void;
  reject(error: unknown): void;
}

interface BatchGroup<In, Out> {
  waiting: WaitingItem<In, Out>[];
  running: number;
}

export interface GatherBounds<In> {
  /** Greatest number of items in one run. */
  readonly batch: number;
  /** Greatest number of waiting items. */
  readonly queue: number;
  /** Greatest number of concurrent runs. */
  readonly concurrency: number;
  /**
   * The group of an item. A run takes items of one group only, and the groups take turns, so that a busy one leaves
   * room for the others.
   */
  apart?(item: In): unknown;
  /** The weight of an item. The items of a run weigh `most` together; a heavier one runs alone. */
  weigh?(item: In): number;
  readonly most?: number;
  /**
   * The error that rejects the item instead of running it, once its caller has gone; undefined while the caller waits.
   */
  abandoned?(item: In): Error | undefined;
  /** Greatest number of concurrent runs of a group; 1 unless given. */
  readonly each?: number;
  /** Callers that are answered in one turn of the event loop: each goes on with its work, and others have their turn in between. */
  readonly answeredPerTurn?: number;
  /** Runs an item in the same turn of the event loop instead of after it: for callers whose items are batches already. */
  readonly isPrompt?: boolean;
}

/**
 * Turns a function over many items into one over a single item: calls that arrive while a run is under way are gathered
 * and taken by the next. An idle gatherer runs at the end of the current turn of the event loop (`isPrompt`: at once): a
 * lone item starts at once.
 *
 * @param run answers for each item, in order; an `Error` rejects that item alone. When it throws, every item of that
 *   run is rejected with the error.
 * @throws Overloaded when the queue is full
 */
export function gather<In, Out>(
  run: (items: readonly In[]) => Promise<readonly (Out | Error)[]>,
  bounds: GatherBounds<In>,
  watch?: Watch,
): (item: In) => Promise<Out> {
  // In the order of their turns; an idle group is deleted.
  const groups = new Map<unknown, BatchGroup<In, Out>>();
  let waiting = 0;
  let running = 0;
  let scheduled = false;
  const { each = 1 } = bounds;

  const schedule = () => {
    if (scheduled || running >= bounds.concurrency || waiting === 0) return;
    scheduled = true;
    if (bounds.isPrompt) begin();
    else setImmediate(begin);
  };

  const begin = () => {
    scheduled = false;
    // A group moves to the end when a run takes from it, so that groups take turns. The scan skips at most as many
    // groups as there are runs under way.
    for (const [name, group] of groups) {
      if (running >= bounds.concurrency) break;
      if (group.waiting.length > 0 && !(bounds.apart && group.running >= each)) void take(name, group);
    }
  };

  const take = async (name: unknown, group: BatchGroup<In, Out>) => {
    const count = countFor(group.waiting, bounds);
    const taken = group.waiting.slice(0, count);
    group.waiting = group.waiting.slice(count);
    groups.delete(name);
    groups.set(name, group);
    waiting -= taken.length;
    group.running += 1;
    running += 1;
    watch?.(taken.length, (performance.now() - (taken[0]?.since ?? 0)) / 1000);
    schedule();
    const wanted = stillWanted(taken, bounds);
    const outs = await runBatch(run, wanted);
    group.running -= 1;
    running -= 1;
    if (group.running === 0 && group.waiting.length === 0) groups.delete(name);
    schedule();
    await settle(wanted, outs, bounds.answeredPerTurn);
  };

  return (item) =>
    new Promise<Out>((resolve, reject) => {
      if (waiting >= bounds.queue) {
        reject(new Overloaded());
        return;
      }
      const name = bounds.apart?.(item);
      const group = groups.get(name) ?? { waiting: [], running: 0 };
      groups.set(name, group);
      group.waiting.push({ item, since: performance.now(), resolve, reject });
      waiting += 1;
      schedule();
    });
}

/** The number of waiting items that the next run takes. */
function countFor<In, Out>(
  waiting: readonly WaitingItem<In, Out>[],
  { batch, weigh, most = 0 }: GatherBounds<In>,
): number {
  const atMost = Math.min(batch, waiting.length);
  if (!weigh) return atMost;
  let together = 0;
  for (let count = 0; count < atMost; count += 1) {
    together += weigh(waiting[count]!.item);
    if (together > most && count > 0) return count;
  }
  return atMost;
}

/** The items whose callers still wait; the others are rejected. */
function stillWanted<In, Out>(
  taken: readonly WaitingItem<In, Out>[],
  { abandoned }: GatherBounds<In>,
): readonly WaitingItem<In, Out>[] {
  if (!abandoned) return taken;
  return taken.filter(({ item, reject }) => {
    const error = abandoned(item);
    if (error) reject(error);
    return !error;
  });
}

/** Runs over the items taken. @returns what becomes of each; the same error for all when the run fails */
async function runBatch<In, Out>(
  run: (items: readonly In[]) => Promise<readonly (Out | Error)[]>,
  taken: readonly WaitingItem<In, Out>[],
): Promise<readonly (Out | Error)[]> {
  if (taken.length === 0) return [];
  try {
    return await run(taken.map((one) => one.item));
  } catch (error) {
    return taken.map(() => error as Error);
  }
}

/** @param atOnce callers that are answered in one turn of the event loop */
async function settle<In, Out>(
  taken: readonly WaitingItem<In, Out>[],
  outs: readonly (Out | Error)[],
  atOnce = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (let at = 0; at < taken.length; at += 1) {
    if (at > 0 && at % atOnce === 0) await nextTurn();
    const out = outs[at] as Out | Error;
    if (out instanceof Error) taken[at]!.reject(out);
    else taken[at]!.resolve(out);
  }
}
