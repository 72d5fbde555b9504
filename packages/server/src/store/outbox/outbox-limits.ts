/** Looks for queues of deliveries that are due. */
export const outboxLimits = {
  /** Queues that one look considers. */
  listed: 2_000,
  /** Those of one ledger. */
  queues: 1_000,
} as const;

/** Deliveries that were set aside after their first attempts (deliveries/retry-delays.ts). */
export const furtherLimits = {
  /** Milliseconds until one of a receiver is taken up; doubled with each failure. */
  first: 10_000,
  /** Milliseconds that this delay grows to. */
  greatest: 3_600_000,
  /** Failed attempts of an effect after which it has no others made. */
  rests: 100,
  /** Deliveries of a receiver that are taken up at once: twice as many as were delivered, up to so many. */
  atOnce: 1_000,
  /** Deliveries of a receiver that one statement ends. */
  piece: 500,
  /** Receivers of a ledger that one statement looks at. */
  receivers: 20,
  /** Ledgers that one look lists. */
  ledgers: 2_000,
} as const;

/** Deliveries that are sent again on request (interface/effects#retry). */
export const retryLimits = {
  /** Requests that wait for one effect or bridge. */
  waiting: 10,
  /** Deliveries that one statement looks at. */
  piece: 1_000,
  /** Such statements of one run. */
  pieces: 20,
  /**
   * Attempts after which a delivery is not sent again, since each leaves a proof on it: twice as many as fit into the longest
   * `DELIVERY_RETRY_HOURS`.
   */
  attempts: 2_000,
} as const;
