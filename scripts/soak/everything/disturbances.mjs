/** Milliseconds after the end of a disturbance in which what it caused may still be seen: workers find their database one by one. */
const AFTER = 5_000;

/** Milliseconds after the death of a process in which connections to it may be found closed. */
const DEAD = 10_000;

/** The cause of a 408 that nothing else explains. */
export const TOO_SLOW = 'machine too slow';

/** What was done to the server, and what follows from it for those who asked meanwhile. */
export class Disturbances {
  /** `{ what, began, ended, database }`, in milliseconds since 1970; those under way have no end. */
  all = [];

  /**
   * @param what was done: `worker killed`
   * @param database whether the database was away
   * @param began a moment before it was done
   * @returns says that it is over
   */
  begin(what, { database = false, began = Date.now() } = {}) {
    const disturbance = { what, database, began, ended: undefined };
    this.all.push(disturbance);
    return () => {
      disturbance.ended = Date.now();
    };
  }

  /**
   * What may have caused a failure: a connection that was lost, a process that was killed; 503 with `retry-after` or 408, a database
   * that was away. Nothing causes silence: the connections of a process that is killed are closed, or handed to another one.
   *
   * @param failure `{ kind, status, retryAfter, began, ended }`
   * @returns what was done; undefined for a failure that must not be
   */
  causeOf({ kind, status, retryAfter, began, ended }) {
    const isAllowed = (one) => {
      // A connection ends with its process, or is found to have ended right after.
      if (kind === 'connection') return !one.database && one.began <= ended && ended <= (one.ended ?? ended) + DEAD;
      if (kind !== 'answer' || one.began > ended || (one.ended ?? ended) + AFTER < began) return false;
      return one.database && (status === 408 || (status === 503 && retryAfter !== undefined));
    };
    const cause = this.all.find(isAllowed)?.what;
    // No failure of the server unless there are many: it says that it took too long.
    return cause ?? (status === 408 ? TOO_SLOW : undefined);
  }
}
