/** Cosignatures of witnesses. */
export const witnessLimits = {
  /** Logs that one process asks for at a time. */
  concurrency: 64,
  /** Requests to one witness at a time. */
  each: 16,
  /** Milliseconds that a request may take. */
  within: 5_000,
  /** Milliseconds that a request may wait for its turn. */
  patience: 1_000,
  /** Milliseconds until a witness that failed is asked again; doubled with each failure. */
  retry: { first: 1_000, greatest: 300_000 },
  /** Milliseconds until a witness is asked again for a log that it refused; doubled with each refusal. */
  refused: { first: 10_000, greatest: 3_600_000 },
} as const;
