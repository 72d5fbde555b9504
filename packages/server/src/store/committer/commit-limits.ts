/** Commits of writes. */
export const commitLimits = {
  /** Commits under way at a time, each of another ledger; fewer than the connections, so that reads go on. */
  concurrency: 4,
  /** Writes of one commit that go on in one turn of the event loop: they are answered, and others have their turn in between. */
  answeredPerTurn: 16,
  /** Characters that the writes of one commit hold, since building the statement takes time; one alone may hold more. */
  characters: 2 * 1024 * 1024,
  alone: {
    /** Transactions at a time that store one write alone, as a drop of what others may name. */
    concurrency: 2,
    /** Those of one ledger. */
    each: 1,
  },
  /** Transactions at a time that make a ledger. */
  births: 1,
} as const;
