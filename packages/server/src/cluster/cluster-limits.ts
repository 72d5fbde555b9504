/** The processes of a deployment, and their metrics. */
export const clusterLimits = {
  metrics: {
    /** Milliseconds for which what was collected answers all who ask. */
    fresh: 1_000,
    /** Milliseconds that a process has to tell its own metrics. */
    told: 1_000,
    /** Connections at a time for metrics. */
    connections: 256,
    /** Milliseconds in which a request for metrics must arrive. */
    request: 5_000,
  },
  /** Milliseconds of silence after which a serving process is replaced. */
  standstill: 10_000,
} as const;
