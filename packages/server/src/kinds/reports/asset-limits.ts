/** Generated files of reports. */
export const assetLimits = {
  /** Files of one ledger that are sent at a time. */
  each: 16,
  /** Files that one process sends at a time. */
  all: 64,
  /** Milliseconds that sending one may take. */
  sent: 30 * 60_000,
  /** Characters of an asset's `output` in a bucket. */
  output: 2_048,
} as const;
