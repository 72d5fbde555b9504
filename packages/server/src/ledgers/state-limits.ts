/** The state of a ledger: its own record, its policies, domains, schemas and effects, which every process loads as a whole. */
export const stateLimits = {
  /** Characters of the records that the state of one ledger is made of. */
  characters: 8 * 1024 * 1024,
  /** Characters of these that records in a domain may fill: the rest is reserved for the ledger's own. */
  forDomains: 4 * 1024 * 1024,
  effects: {
    /** Effects of a ledger: every write is compared with those that subscribe to its signals. */
    count: 1_000,
    /** Effects of a ledger that may be in domains. */
    inDomains: 500,
  },
  /** Bytes that the states of ledgers take that one process keeps. */
  held: 128 * 1024 * 1024,
  loads: {
    /** Loads of states from the database at a time. */
    concurrency: 4,
    /** Bytes of a state that is read directly. */
    small: 128 * 1024,
    /** Bytes that larger states under way share. */
    size: 8 * 1024 * 1024,
    /** Loads of one ledger that may wait. */
    waiting: 100,
    /** Milliseconds that a load may wait. */
    patience: 10_000,
  },
  /** Bytes that the signers, by key, take that one process remembers. */
  signers: 32 * 1024 * 1024,
  /** Attempts at a write, which is prepared again whenever the state it was decided on has changed. */
  attempts: 200,
} as const;
