/** A mutex for each ledger: those who wait for it go first come, first served. */
export interface LedgerMutex {
  /** Runs `work` when all that came before it for the same ledger has ended, well or badly. @throws what `work` throws */
  runExclusive<T>(ledger: number, work: () => Promise<T>): Promise<T>;
}

export function createLedgerMutex(): LedgerMutex {
  /** The last in each ledger's queue; an empty queue is forgotten. */
  const queues = new Map<number, Promise<unknown>>();
  return {
    runExclusive(ledger, work) {
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
