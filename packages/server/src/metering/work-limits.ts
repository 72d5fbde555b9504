/** The work of requests, in steps of about a tenth of a microsecond (decision 0015). */
export const workLimits = {
  /** Steps that count for a millisecond. */
  perMillisecond: 10_000,
  /** Steps of one slice, after which others have their turn. */
  slice: 250_000,
  /** Steps of one request in all. */
  request: 20_000_000,
  /** Steps of one turn of the event loop. */
  turn: 100_000,
  /** Steps below which a ledger bypasses the queue. */
  burst: 200_000,
  /** Steps that a slice has for nothing when it need not wait. */
  free: 20_000,
  /** Part of one processor by which a ledger regains its burst. */
  share: 0.25,
  /** Steps by which a sender may be behind the next of those that wait. */
  behind: 2_000_000,
  /** Ledgers whose use is remembered, and half of the senders. */
  accounts: 10_000,
  /** Slices that may wait for their turn, of all ledgers. */
  waiting: 10_000,
} as const;
