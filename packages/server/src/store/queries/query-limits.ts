/** What is looked for in the database, and what is kept of it. */
export const queryLimits = {
  plans: {
    /** Prepared list statements that each connection keeps. */
    count: 200,
    /** Uses of a list statement after which it is kept. */
    seen: 20,
    /** List statements whose uses are counted, until they are kept. */
    among: 1_000,
    /** Characters of a list statement that is kept. */
    characters: 2_048,
  },
  listed: {
    /** Lists and histories of one ledger that one process looks for at a time. */
    atATime: 2,
    /** Shapes of lists whose streaks are remembered. */
    shapes: 10_000,
    /** Milliseconds after which a list is given up; one that was, twice, moves to the slow lane. */
    quick: 1_000,
    /** Lists that the slow lane runs at a time: the other connections are left to quick ones. */
    slow: 1,
    /** Milliseconds of lists given up that send all lists of a ledger to the slow lane at once. */
    waste: 2_000,
    /** Milliseconds in which that measure of a ledger halves. */
    halfLife: 10_000,
    /** Lists of one ledger that may wait. */
    waiting: 1_000,
    /** Milliseconds that a list may wait. */
    patience: 10_000,
    /** Ledgers whose use of lists is remembered. */
    ledgers: 10_000,
  },
  lookups: {
    /** Queries at a time for one sort of lookup (by handle, by luid): fewer than the connections. */
    together: 4,
    /** Those of one ledger. */
    each: 2,
  },
  answers: {
    /** Bytes of the records on a page. */
    page: 8 * 1024 * 1024,
    /** Bytes of records that are fetched at once, bypassing the semaphore. */
    atOnce: 1024 * 1024,
  },
  due: {
    /** Due units of background work that one look considers. */
    listed: 10_000,
    /** Rows that one statement sweeps. */
    swept: 10_000,
  },
  /** Characters of versions of records that one process keeps to look them up again. */
  known: 8 * 1024 * 1024,
  /** Memberships of circles that one process remembers. */
  memberships: 10_000,
} as const;
