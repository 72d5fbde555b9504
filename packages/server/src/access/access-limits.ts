/** Rules of access, and what is asked of them. */
export const accessLimits = {
  /** Rules on one record or policy. */
  rules: 1_000,
  about: {
    /** Policy values that the cache by right holds, for each value of the ledger. */
    times: 4,
    /** Policy values that the cache by right holds beyond those. */
    more: 2_000,
  },
  /** Rules that the answer to an access check shows. */
  grants: 1_000,
  /** Signers of an access check of a read, each judged as a reader. */
  readers: 4,
} as const;
