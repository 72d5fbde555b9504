/** Limits on rates, as processes count them (decision 0046). */
export const rateLimits = {
  /** Addresses, and ledgers, whose use one process remembers. */
  keys: 20_000,
  /** Milliseconds between two times that a process tells the others what it let through. */
  telling: 250,
  /** Addresses, and ledgers, that it tells of at a time. */
  told: 1_000,
} as const;
