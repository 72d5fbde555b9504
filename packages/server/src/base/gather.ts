/** More is asked than can wait its turn: better to say so at once than to be late with every answer. */
export class Overloaded extends Error {
  constructor(message = 'The queue is full.') {
    super(message);
  }
}

/** Told of each run: how many items it takes, and the seconds the oldest of them has waited. */
export type Watch = (size: number, waited: number) => void;

interface Waiting<In, Out> {
  readonly item: In;
  readonly since: number;
  resolve(out: Out): void;
  reject(error: unknown): void;
}

interface Group<In, Out> {
  waiting: Waiting<In, Out>[];
  running: number;
}

export interface GatherBounds<In> {
  /** Items at most in one run. */
  readonly batch: number;
  /** Items at most waiting. */
  readonly queue: number;
  /** Runs at most at a time. */
  readonly lanes: number;
  /**
   * What keeps items apart: a run takes items of one kind only, so many runs of a kind at a time. The kinds take turns, so
   * that a busy one does not keep the others waiting.
   */
  apart?(item: In): unknown;
  /** What an item weighs; a run takes no more than `most` together, and one item at least. */
  weigh?(item: In): number;
  readonly most?: number;
  /** Whether nobody waits for the item any more: it is then rejected with what this returns, and not run. */
  abandoned?(item: In): Error | undefined;
  /** Runs of a kind at most at a time; 1 unless given. */
  readonly each?: number;
}

/**
 * Turns a function over many items into one over a single item: calls that arrive while a run is under way are
 * gathered and taken by the next. An idle gatherer runs at the end of the current turn of the event loop; there is no
 * timer, so nothing waits for company.
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
  // In the order of their turns; a group with nothing to do is forgotten.
  const groups = new Map<unknown, Group<In, Out>>();
  let waiting = 0;
  let running = 0;
  let scheduled = false;
  const { each = 1 } = bounds;

  const schedule = () => {
    if (scheduled || running >= bounds.lanes || waiting === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      // A group that is taken from goes to the end, so that no more are passed over than there are runs under way.
      for (const [name, group] of groups) {
        if (running >= bounds.lanes) break;
        if (group.waiting.length > 0 && !(bounds.apart && group.running >= each)) void take(name, group);
      }
    });
  };

  const take = async (name: unknown, group: Group<In, Out>) => {
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
    await settle(run, stillWanted(taken, bounds));
    group.running -= 1;
    running -= 1;
    if (group.running === 0 && group.waiting.length === 0) groups.delete(name);
    schedule();
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

/** How many of those that wait the next run takes. */
function countFor<In, Out>(waiting: readonly Waiting<In, Out>[], { batch, weigh, most = 0 }: GatherBounds<In>): number {
  const atMost = Math.min(batch, waiting.length);
  if (!weigh) return atMost;
  let together = 0;
  for (let count = 0; count < atMost; count += 1) {
    together += weigh(waiting[count]!.item);
    if (together > most && count > 0) return count;
  }
  return atMost;
}

/** Those items that somebody waits for; the others are rejected. */
function stillWanted<In, Out>(
  taken: readonly Waiting<In, Out>[],
  { abandoned }: GatherBounds<In>,
): readonly Waiting<In, Out>[] {
  if (!abandoned) return taken;
  return taken.filter(({ item, reject }) => {
    const error = abandoned(item);
    if (error) reject(error);
    return !error;
  });
}

/** Runs over the items taken and tells each of them how it went. */
async function settle<In, Out>(
  run: (items: readonly In[]) => Promise<readonly (Out | Error)[]>,
  taken: readonly Waiting<In, Out>[],
): Promise<void> {
  if (taken.length === 0) return;
  try {
    const outs = await run(taken.map((one) => one.item));
    taken.forEach((one, index) => {
      const out = outs[index] as Out | Error;
      if (out instanceof Error) one.reject(out);
      else one.resolve(out);
    });
  } catch (error) {
    for (const one of taken) one.reject(error);
  }
}
