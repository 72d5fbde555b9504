/** Requests of clients, and their connections. */
export const requestLimits = {
  /** Milliseconds in which a request must arrive, its body included (interface/limits). */
  arrival: 30_000,
  clients: {
    /** Connections of one process. */
    count: 4_096,
    /** Requests that may wait on one connection. */
    pipelined: 100,
    /** Milliseconds in which a client must have taken the answers that wait for it. */
    taken: 60_000,
    /**
     * Milliseconds without a request after which a client is told to open another connection. The server keeps idle ones longer than
     * that, so that a client that follows the hint always meets an open one.
     */
    idle: 5_000,
    /** Milliseconds without a request other than probes after which a drained process counts as left by clients. */
    quiet: 10_000,
  },
  /** Characters of a request's id that a client sends. */
  id: 128,
  /** Bytes of a form sent to the token endpoint. */
  form: 16 * 1024,
  logged: {
    /** Refused requests, and as many that failed, that one process logs within a window, where the access log has not all. */
    count: 100,
    /** Milliseconds of that window. */
    window: 1_000,
  },
  refusedTokens: {
    /** Refused tokens that one process logs within a window. */
    count: 60,
    /** Milliseconds of that window. */
    window: 60_000,
  },
} as const;
