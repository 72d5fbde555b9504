/** Ed25519 signatures that are made or verified for requests together, in the signing thread. */
export const signatureLimits = {
  /** Signatures in one message to the thread. */
  message: 128,
  /** Messages at a time. */
  concurrency: 1,
  /** Signatures that one process asks for at a time. */
  process: 1_024,
  /** Those of one ledger. */
  ledger: 128,
  /** Requests of a ledger that wait beyond these. */
  waiting: 10_000,
} as const;
