/** A mutex for each ledger; waiters are served first come, first served. */
export type LedgerMutex = ReturnType<typeof createLedgerMutex>;

export function createLedgerMutex() {
  /** The last in each ledger's queue; an empty queue is forgotten. */
  const queues = new Map<number, Promise<unknown>>();
  return {
    /** Runs `work` when all earlier work for the same ledger has settled. @throws what `work` throws */
    runExclusive<T>(ledger: number, work: () => Promise<T>): Promise<T> {
      const before = queues.get(ledger) ?? Promise.resolve();
      const mine = before.then(work);
      const last = mine.catch(() => {});
      queues.set(ledger, last);
      void last.then(() => {
        if (queues.get(ledger) === last) queues.delete(ledger);
      });
      return mine;
    },
  };
}
