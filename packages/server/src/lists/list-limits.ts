/** Pages of lists. */
export const listLimits = {
  /** Records on a page: unless `page.limit` is given, and at most; a greater limit is served as that (interface/lists#pages). */
  page: { default: 20, greatest: 1_000 },
  /**
   * Records examined for one page of a list that leaves some of them out; a page that would take more is refused
   * (interface/lists#pages).
   */
  scan: 50_000,
  answers: {
    /** Bytes of records that the answers under way of one ledger are made of. */
    ledger: 8 * 1024 * 1024,
    /** Bytes of records that the answers under way of one process are made of. */
    process: 24 * 1024 * 1024,
    /** Answers of one ledger that may wait. */
    waiting: 100,
    /** Milliseconds that an answer may wait. */
    patience: 10_000,
  },
} as const;
