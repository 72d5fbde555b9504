/** The journals of requests. Of what stored nothing, which can be asked for without end, less is kept than of what did. */
export const journalLimits = {
  /** Entries that wait to be stored in one process. */
  waiting: {
    /** Of one ledger: of what was stored, of what was refused to signers, and to others, and of what was done without being stored. */
    sorts: [2_000, 200, 50, 2_000],
    /** Of all ledgers; each may have `few` in any case. */
    process: 10_000,
    few: 10,
  },
  /** Entries that a ledger keeps: of refusals to signers, and to others, and of what was done without being stored. */
  kept: [20_000, 5_000, 100_000],
  /** Entries of one of these that a process stores for a ledger before it deletes those beyond the ones that are kept. */
  trimmed: 200,
  /** Entries stored by one statement. */
  batch: 500,
  /** Ledgers of which it is known how many entries were left out. */
  ledgers: 10_000,
  /** Milliseconds from the first entry that waits to when those that wait are stored, unless a whole batch does before. */
  pause: 1_000,
  /** Milliseconds in which a process that stops stores those that wait. */
  drain: 5_000,
  /** Entries that one statement deletes once their time is over. */
  swept: 1_000,
  /** Characters of the headers `user-agent` and `content-type`. */
  header: 200,
} as const;
