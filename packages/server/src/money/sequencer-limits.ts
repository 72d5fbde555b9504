/** The sequencers of ledgers, which decide on intents; how many are stored in a batch is in store/money/settle-limits.ts. */
export const sequencerLimits = {
  /** Intents that are decided on before what is stored is looked at. */
  together: 16,
  /** Intents of one ledger that may wait for its sequencer. */
  queue: 10_000,
  /** Batches in which an intent is tried before its request begins anew. */
  tries: 10,
  /** Milliseconds for which an intent under way is put off that cannot be processed. */
  postponed: 60_000,
  /** Bytes, about, of the wallets, symbols and bridges that a process remembers, of all ledgers that it leads. */
  known: 64 * 1024 * 1024,
  /** Balances that are known of one ledger. */
  balances: 50_000,
  /** Handles of one ledger that are known to have come into use last. */
  handles: 1_000,
  /** Ledgers that one process decides for. */
  ledgers: 1_000,
  /** Milliseconds that a process stays the leader of a ledger after its last decision. */
  lease: 3_000,
  /** Milliseconds before the end of that lease in which the leader asks again. */
  margin: 1_000,
} as const;
