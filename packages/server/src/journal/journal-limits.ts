/** The journals of requests. Requests that store nothing can be sent without end, so fewer entries of these are kept. */
export const journalLimits = {
  /** Entries that wait to be stored in one process. */
  waiting: {
    /** Of one ledger: of what was stored. */
    stored: 2_000,
    /** Of one ledger: of what was refused to signers. */
    signers: 200,
    /** Of one ledger: of what was refused to others. */
    others: 50,
    /** Of one ledger: of what was done without being stored. */
    unstored: 2_000,
    /** Of all ledgers. */
    process: 10_000,
    /** Of one ledger, in any case. */
    few: 10,
  },
  /** Entries that a ledger keeps. */
  kept: {
    /** Of what was refused to signers. */
    signers: 20_000,
    /** Of what was refused to others. */
    others: 5_000,
    /** Of what was done without being stored. */
    unstored: 100_000,
  },
  /** Entries of such a sort that a process stores for a ledger before it deletes those beyond the ones that are kept. */
  trimmed: 200,
  /** Entries stored by one statement. */
  batch: 500,
  /** Ledgers of which it is known how many entries were left out. */
  ledgers: 10_000,
  /** Milliseconds that an entry waits to be stored. A whole batch does not wait. */
  pause: 1_000,
  /** Milliseconds in which a process that stops stores those that wait. */
  drain: 5_000,
  /** Entries that one statement deletes once their time is over. */
  swept: 1_000,
  /** Characters of the headers `user-agent` and `content-type`. */
  header: 200,
} as const;
