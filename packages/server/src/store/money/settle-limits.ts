/** Batches of intents as they are stored. */
export const settleLimits = {
  /** Intents that are stored in one batch. */
  batch: 32,
  /** Batches under way, each of another ledger. */
  concurrency: 3,
} as const;
