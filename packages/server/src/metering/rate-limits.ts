/** Limits on rates, as processes count them (decision 0015). */
export const rateLimits = {
  /** Addresses, and ledgers, whose use one process remembers. */
  keys: 20_000,
  /** Milliseconds between two times that a process tells the others what it let through. */
  reportInterval: 250,
  /** Addresses, and ledgers, that it tells of at a time. */
  reportedKeys: 1_000,
  lines: {
    /** Lines about refusals that one process logs of each limit within a window. */
    count: 1,
    /** Milliseconds of that window. */
    window: 60_000,
  },
  /** Refusals that one process keeps, by ledger and time to wait. */
  refusals: 1_000,
  /** Milliseconds for which it sends one again. */
  kept: 1_000,
  /** Part of the writes of a ledger that is left to its owners and to intents under way. */
  left: 0.1,
} as const;
