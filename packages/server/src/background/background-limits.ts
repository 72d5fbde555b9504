/** Background work. */
export const backgroundLimits = {
  /** Milliseconds that a lease holds unless it is renewed. */
  lease: 30_000,
  /** Milliseconds from one renewal of a lease to the next. */
  beat: 10_000,
  /** Milliseconds from one look for due units to the next, at least. */
  pause: 20,
  /** Milliseconds that are drawn at random and added to when a unit is free. */
  jitter: 250,
  /** Milliseconds until a failed unit is tried again; doubled with each failure. */
  retry: { first: 1_000, greatest: 300_000 },
  /** Milliseconds until a lost connection for hints is made again; doubled with each failure. */
  reconnect: { first: 500, greatest: 30_000 },
  /** Milliseconds from one hint of a worker to other processes to its next. */
  hint: 25,
  /** Milliseconds that a stop waits for running units. */
  drain: 5_000,
  /** Milliseconds that a stop then waits for aborted units. */
  grace: 1_000,
  lines: {
    /** Failures that are logged within a window. */
    count: 60,
    /** Milliseconds of that window. */
    window: 60_000,
  },
} as const;
