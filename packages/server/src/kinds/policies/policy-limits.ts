/** Policies (interface/policies). */
export const policyLimits = {
  /** Signers of a quorum. */
  quorum: 100,
  /** Policies that one extends. */
  extended: 100,
} as const;

/** Policies by which a ledger creates intents on a schedule. */
export const scheduleLimits = {
  /** Schedule policies of a ledger. */
  policies: 100,
  /** Schedule policies of a ledger beyond which one in a domain is refused. */
  inDomains: 50,
  /** Cron expressions of one policy. */
  values: 10,
  /** Characters of a cron expression. */
  cron: 256,
} as const;
