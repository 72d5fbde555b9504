/** How long tokens live, in seconds (interface/tokens). */
export const tokenLifetime = {
  /** Seconds of one of the token endpoint, unless the policy that names its provider says otherwise (`jwt.ttl`). */
  granted: 3_600,
  /** Seconds that such a policy may say at most: a year. */
  greatest: 365 * 24 * 3_600,
  /** Seconds of a self-signed token at most, unless `TOKEN_MAX_LIFE` says otherwise. */
  selfSigned: 24 * 3_600,
  /** Seconds of one by which a bridge knows the ledger (interface/bridges#token-of-the-ledger). */
  ofLedger: 24 * 3_600,
} as const;
