/** The bounds of all that is parsed here. Texts are measured in bytes of UTF-8. */
export const LOG_BOUNDS = {
  /** A signed note: a checkpoint with a hundred cosignatures has a third of it. */
  note: 65_536,
  /** Lines of signatures in a note, the bound of Go's `note` package. */
  signatures: 100,
  /** The name of a key. */
  name: 512,
  /** The text of a verifier key. */
  vkey: 1024,
  /** Hashes of a proof: two for each level of the greatest tree that 64 bits count, and the bound of tlog-witness. */
  hashes: 63,
  /** Bytes that a proof file carries for its application. */
  extra: 4096,
  /** A proof file, and the body of add-checkpoint: a note, and what may stand before it. */
  withNote: 81_920,
  /** A witness policy. */
  policy: 65_536,
  /** Lines of a witness policy. */
  policyLines: 1000,
  /** A path of a tile: `x` and three digits for each thousand of the index. */
  path: 64,
  /** An entry bundle: 256 entries of the greatest length. */
  bundle: 256 * 65_537,
} as const;
