/** The database, and the connections of one process to it. */
export const databaseLimits = {
  /** Connections for lists, for the leases of background work, for deliveries, for hints, and for everything else. */
  connections: { lists: 3, leases: 2, deliveries: 2, hints: 1, others: 7 },
  /** Connections that the embedded PostgreSQL has beyond those of all processes: for operators, and for the start. */
  spareConnections: 20,
  /** Milliseconds that finding a list may take; with an index most take less than one. */
  listing: 5_000,
  /** Milliseconds that a statement on leases may take, such as a look for due units of background work. */
  leases: 5_000,
  readiness: {
    /** Milliseconds between two looks at the database, by which health is answered. */
    pause: 1_000,
    /** Milliseconds in which such a look must end. */
    patience: 2_000,
  },
  restarts: {
    /** Ends of the embedded PostgreSQL that nobody asked for, before it is given up. */
    times: 5,
    /** Milliseconds in which these ends count. */
    within: 10 * 60_000,
    /** Milliseconds before each restart. */
    respite: 500,
  },
  freeDisk: {
    /** Bytes free on the disk of the embedded PostgreSQL below which writes are refused, so that reads go on. */
    write: 128 * 1024 * 1024,
    /** Bytes free below which an end of PostgreSQL is left out of the count of restarts. */
    start: 32 * 1024 * 1024,
    /** Part free, of what the database has and may take, below which creates are refused: changes and drops go on. */
    create: 0.1,
  },
} as const;
