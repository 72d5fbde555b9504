/** A record as it is stored. */
export const recordLimits = {
  /** Bytes of a record with all its proofs. A drop ends the record, and may be longer. */
  bytes: 4 * 1024 * 1024,
  /**
   * Characters of the paths and values that lists filter one record by. Paths repeat the names of members, so a body within its
   * bounds could otherwise take a hundred times its size to store.
   */
  filterable: 4 * 1024 * 1024,
  /** Characters of the data that access to a record is judged by; longer data is left out of its index entry. */
  judged: 8 * 1024,
  /** Labels on a record. */
  labels: 100,
  /** Proofs a record carries, unless `RECORD_PROOFS` says otherwise (interface/limits). */
  proofs: 100,
  /** Characters of a report on an intent that is taken although the record is full. */
  report: 4_096,
  /** Minutes that `custom.moment` of a client's proof may lie ahead of the server's clock. */
  momentAhead: 5,
} as const;
