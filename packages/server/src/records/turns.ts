/** Lets those who would only take from one another go one at a time. */
export interface Turns {
  /** Runs `work` after all that was given before it for the same ledger, however that ended. */
  take<T>(ledger: number, work: () => Promise<T>): Promise<T>;
}

export function createTurns(): Turns {
  /** The last in each line; a line that nobody stands in is forgotten. */
  const lines = new Map<number, Promise<unknown>>();
  return {
    take(ledger, work) {
      const before = lines.get(ledger) ?? Promise.resolve();
      const mine = before.then(work);
      const last = mine.catch(() => {});
      lines.set(ledger, last);
      void last.then(() => {
        if (lines.get(ledger) === last) lines.delete(ledger);
      });
      return mine;
    },
  };
}
