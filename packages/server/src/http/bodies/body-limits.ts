/** Bodies of requests, and the memory for those under way. */
export const bodyLimits = {
  /** Bytes of a request body (interface/records#request-bodies). */
  bytes: 1024 * 1024,
  /** Bytes up to which a body is read at once: larger ones wait for memory. */
  small: 16 * 1024,
  memory: {
    /** Bytes of larger bodies under way in one process. */
    process: 64 * 1024 * 1024,
    /** Bytes of those of one sender, until the caller is known to be allowed. */
    sender: 16 * 1024 * 1024,
    /** Bytes of those for one ledger, after that. */
    ledger: 16 * 1024 * 1024,
    /** Bodies of one sender for one ledger that may wait. */
    waiting: 128,
    /** Bodies of one sender for all ledgers that may wait. */
    together: 1_024,
    /** Milliseconds that a body may wait. */
    patience: 5_000,
  },
  refused: {
    /** Bytes that are read on, after the answer, of a body that is refused early. */
    bytes: 16 * 1024 * 1024,
    /** Milliseconds for which such a body is read on. */
    time: 5_000,
    /** Connections at a time that such bodies are read on from. */
    connections: 256,
  },
} as const;
