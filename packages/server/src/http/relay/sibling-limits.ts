/** Processes of one machine that send requests to one another. */
export const siblingLimits = {
  calls: {
    /** Requests that one process has another answer at a time. */
    all: 512,
    /** Those of one ledger. */
    ledger: 128,
  },
  held: {
    /** Bytes of the bodies that a process was sent and has not answered. */
    all: 32 * 1024 * 1024,
    /** Bytes of those of one account: a sender until access is granted, its ledger from then on. */
    account: 8 * 1024 * 1024,
  },
  /** Milliseconds of silence after which a process that owes answers counts as gone. */
  silence: 4_000,
  /** Milliseconds before a process that could not be reached is tried again. */
  respite: 1_000,
  /** Processes that are remembered as out of reach, at most. */
  known: 100,
} as const;
