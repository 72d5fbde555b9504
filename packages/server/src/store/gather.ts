/** More is asked than can wait its turn: better to say so at once than to be late with every answer. */
export class Overloaded extends Error {
  constructor() {
    super('The queue is full.');
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

/**
 * Turns a function over many items into one over a single item: calls that arrive while a run is under way are
 * gathered and taken by the next. An idle gatherer runs at the end of the current turn of the event loop; there is no
 * timer, so nothing waits for company.
 *
 * @param run answers for each item, in order; an `Error` rejects that item alone. When it throws, every item of that
 *   run is rejected with the error.
 * @param bounds `batch` items at most in one run; `queue` items at most waiting; `lanes` runs at most at a time
 * @throws Overloaded when the queue is full
 */
export function gather<In, Out>(
  run: (items: readonly In[]) => Promise<readonly (Out | Error)[]>,
  bounds: { batch: number; queue: number; lanes: number },
  watch?: Watch,
): (item: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = [];
  let running = 0;
  let scheduled = false;

  const schedule = () => {
    if (scheduled || running >= bounds.lanes || waiting.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      void take();
    });
  };

  const take = async () => {
    const taken = waiting.slice(0, bounds.batch);
    waiting = waiting.slice(bounds.batch);
    running += 1;
    watch?.(taken.length, (performance.now() - (taken[0]?.since ?? 0)) / 1000);
    schedule();
    try {
      const outs = await run(taken.map((one) => one.item));
      taken.forEach((one, index) => {
        const out = outs[index] as Out | Error;
        if (out instanceof Error) one.reject(out);
        else one.resolve(out);
      });
    } catch (error) {
      for (const one of taken) one.reject(error);
    } finally {
      running -= 1;
      schedule();
    }
  };

  return (item) =>
    new Promise<Out>((resolve, reject) => {
      if (waiting.length >= bounds.queue) {
        reject(new Overloaded());
        return;
      }
      waiting.push({ item, since: performance.now(), resolve, reject });
      schedule();
    });
}
