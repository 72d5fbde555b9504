/** The listener of operators. */
export const operatorLimits = {
  /** Bytes of the body of a request. */
  body: 65_536,
  /** Milliseconds in which a request must arrive; also how long a connection waits for a process to serve it. */
  request: 10_000,
  /** Connections at a time, and as many that wait while no process serves. */
  connections: 64,
  /** Operations at a time that change nothing; more are refused. */
  looks: 2,
  /** Changes at a time, beside those; more are refused. */
  changes: 4,
  /** Milliseconds of a read, where `countersign admin` at the host has an hour. */
  read: 30_000,
  /** Connections to the database of an operation, and as many to verify requests. */
  database: 2,
  refusals: {
    /** Requests of one address, refused for one reason within the window; more are answered 429, and not logged. */
    attempts: 20,
    /** The same of all addresses. */
    ofAll: 1_000,
    /** Milliseconds. */
    window: 60_000,
    /** Addresses that are remembered. */
    remembered: 1_000,
  },
  /** Milliseconds before a process for operators that has died is replaced; also how long beyond `stop` it may take to end before it is killed. */
  respite: 1_000,
  /** Milliseconds in which a process for operators must begin to serve; else it is killed. */
  start: 30_000,
  /** Milliseconds in which it must have a connection that it is given; else it is killed. Longer than `clusterLimits.standstill`, of which the log tells. */
  taken: 15_000,
  /** Milliseconds that operations under way have when the server stops. */
  stop: 5_000,
} as const;
