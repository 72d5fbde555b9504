/** Limits on rates, as processes count them (decision 0046). */
export const rateLimits = {
  /** Addresses, and ledgers, whose use one process remembers. */
  keys: 20_000,
  /** Milliseconds between two times that a process tells the others what it let through. */
  telling: 250,
  /** Addresses, and ledgers, that it tells of at a time. */
  told: 1_000,
  lines: {
    /** Lines about refusals that one process logs of each limit within a window. */
    count: 1,
    /** Milliseconds of that window. */
    window: 60_000,
  },
} as const;
