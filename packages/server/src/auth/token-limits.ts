/** Bearer tokens; how long one lives is in base/token-lifetime.ts. */
export const tokenLimits = {
  /** Bytes of a bearer token. */
  bytes: 8 * 1024,
  /** Characters of the verified tokens that one process remembers; a token counts for three times its length. */
  verified: 8 * 1024 * 1024,
  /** Providers, of all ledgers, whose signing keys one process keeps. */
  providers: 1_000,
  /** Factors of a provider that are searched for its key. */
  factors: 100,
  rsaSignatures: {
    /** Signatures of RS256 under way, each in one of the four threads that the process has for files, names and cryptography. */
    process: 2,
    /** Those of one ledger. */
    ledger: 1,
    /** Signatures of a ledger that may wait. */
    waiting: 1_000,
    /** Milliseconds that a signature may wait. */
    patience: 5_000,
  },
} as const;
