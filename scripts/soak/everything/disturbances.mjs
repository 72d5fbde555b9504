/** Milliseconds after the end of a disturbance in which what it caused may still be seen: workers find their database one by one. */
const AFTER = 5_000;

/** Milliseconds after the death of a process in which connections to it may be found closed, or answer nobody. */
const DEAD = 10_000;

/** What was done to the server, and what follows from it for those who asked meanwhile. */
export class Disturbances {
  /** `{ what, began, ended, database }`, in milliseconds since 1970; those under way have no end. */
  all = [];

  /**
   * @param what was done: `worker killed`
   * @param database whether the database was away
   * @returns says that it is over
   */
  begin(what, { database = false } = {}) {
    const disturbance = { what, database, began: Date.now(), ended: undefined };
    this.all.push(disturbance);
    return () => {
      disturbance.ended = Date.now();
    };
  }

  /**
   * What may have caused a failure: a connection that was lost, a process that was killed; 503 with `retry-after` or 408, a database
   * that was away.
   *
   * @param failure `{ kind, status, retryAfter, began, ended }`
   * @returns what was done; undefined for a failure that must not be
   */
  causeOf({ kind, status, retryAfter, began, ended }) {
    const isAllowed = (one) => {
      if (kind === 'connection') return !one.database;
      return one.database && (status === 408 || (status === 503 && retryAfter !== undefined));
    };
    const after = (one) => (one.database ? AFTER : DEAD);
    const during = this.all.filter((one) => one.began <= ended && (one.ended ?? ended) + after(one) >= began);
    const cause = during.find(isAllowed)?.what;
    // No failure of the server: it says that it took too long.
    return cause ?? (status === 408 ? 'machine too slow' : undefined);
  }
}
