/** The bounds of logs, of witnesses and of erasures, among those of the service (limits.ts). Times are in milliseconds. */
export const logLimits = {
  log: {
    /** From one round of sealing to the next where there is work, and where there is none. */
    tick: 200,
    poll: 1_000,
    /** For how long other processes leave a ledger alone that one has sealed: less than `tick`, so that this one goes on. */
    recent: 150,
    /** Ledgers that one transaction seals, and commits and writes that it takes of all of them. */
    together: 64,
    batches: 512,
    writes: 16_384,
    /** Changes of before the log that are added at a time, bytes of their texts, and how many are checked in a row. */
    backfill: 2_000,
    backfillBytes: 4 * 1024 * 1024,
    backfillTurn: 8,
    /** How long a ledger is left alone whose changes could not be sealed, or that has no private key. */
    rest: 10_000,
    keyless: 600_000,
    /** Bytes of tiles that one process keeps to serve them, and of tiles with their nodes for proofs. */
    tiles: 16 * 1024 * 1024,
    nodes: 16 * 1024 * 1024,
    /** Reads of logs at a time, of one process and of one ledger; how many of a ledger wait, and for how long. */
    reads: { process: 4, ledger: 2, waiting: 500, patience: 10_000 },
    /**
     * Writes whose answer waits until they are sealed: `count` of one process and `each` of one ledger, the last `spare` of
     * them for ledgers of which none waits, for so many `seconds` at most. They are looked for once in `every`. How long a
     * log counts as stalled, or not, without another look.
     */
    waiting: { count: 1_000, each: 100, spare: 100, seconds: 10, every: 50, stalled: 1_000 },
    /** How long a log counts as open to everyone without another look. */
    open: 1_000,
    /** Leaves that a log may have grown by, beside as many as it had, since it was looked at. */
    grown: 100_000,
  },
  /**
   * Cosignatures of witnesses: logs that one process asks for at a time (`concurrency`), requests to one witness (`each`), how long
   * one may take (`within`) and wait for its turn (`patience`). A witness that fails is asked again after `retry`, and for a
   * log that it refuses after `refused`.
   */
  witnesses: {
    concurrency: 64,
    each: 16,
    within: 5_000,
    patience: 1_000,
    retry: { first: 1_000, greatest: 300_000 },
    refused: { first: 10_000, greatest: 3_600_000 },
  },
  /**
   * Erasures: characters of the reason; how often one is tried while changes of the record wait to be sealed, and the
   * milliseconds between; how many are stored at a time (`concurrency`), each of another ledger, fewer than the connections; texts
   * of a record, and deliveries, that are read at a time.
   */
  erasure: { reason: 1_000, tries: 50, pause: 100, concurrency: 2, texts: 8, deliveries: 500 },
} as const;
