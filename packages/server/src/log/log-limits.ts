/** Logs: sealing and serving them. */
export const logLimits = {
  /** Milliseconds from one round of sealing to the next where there is work. */
  tick: 200,
  /** Milliseconds from one round of sealing to the next where there is nothing to seal. */
  poll: 1_000,
  /** Milliseconds for which other processes leave a ledger alone that one has sealed: less than `tick`, so that this one goes on. */
  recent: 150,
  /** Ledgers that one transaction seals. */
  together: 64,
  /** Commits that one transaction takes of all of them. */
  batches: 512,
  /** Writes that one transaction takes of all of them. */
  writes: 16_384,
  /** Changes from before the log that are added at a time. */
  backfill: 2_000,
  /** Bytes of the texts of those changes. */
  backfillBytes: 4 * 1024 * 1024,
  /** Changes of those that are checked in a row. */
  backfillTurn: 8,
  /** Milliseconds for which a ledger is left alone whose changes could not be sealed. */
  rest: 10_000,
  /** Milliseconds for which a ledger is left alone that has no private key. */
  keyless: 600_000,
  /** Bytes of tiles that one process keeps to serve them. */
  tiles: 16 * 1024 * 1024,
  /** Bytes of tiles with their nodes that one process keeps for proofs. */
  nodes: 16 * 1024 * 1024,
  losses: {
    /** Logs that are looked up at a time, when what was shown is compared with what the database has. */
    together: 500,
    /** Lines about single logs, beyond which losses are only counted. */
    lines: 100,
    /** Milliseconds after which a comparison that failed is made again. */
    again: 1_000,
    /** Milliseconds from one count of stopped logs to the next, and until ledgers of a node that was down are compared again. */
    pause: 30_000,
  },
  reads: {
    /** Reads of logs at a time, of one process. */
    process: 4,
    /** Those of one ledger. */
    ledger: 2,
    /** Reads of a ledger that may wait. */
    waiting: 500,
    /** Milliseconds that a read may wait. */
    patience: 10_000,
  },
  waiting: {
    /** Writes of one process whose answer waits until they are sealed. */
    count: 1_000,
    /** Those of one ledger. */
    each: 100,
    /** The last of those of a process, which are for ledgers of which none waits. */
    spare: 100,
    /** Seconds that such an answer waits. */
    seconds: 10,
    /** Milliseconds from one look for sealed writes to the next. */
    every: 50,
    /** Milliseconds for which a log counts as stalled, or not, without another look. */
    stalled: 1_000,
  },
  /** Milliseconds for which a log counts as open to everyone without another look. */
  open: 1_000,
  /** Leaves that a log may have grown by, beside as many as it had, since it was looked at. */
  grown: 100_000,
} as const;
