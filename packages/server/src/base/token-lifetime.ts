/** How long tokens live, in seconds (interface/tokens). */
export const tokenLifetime = {
  /** One of the token endpoint, unless the policy that names its provider says otherwise (`jwt.ttl`). */
  granted: 3_600,
  /** The most that such a policy may say: a year. */
  greatest: 365 * 24 * 3_600,
  /** The most of a self-signed token, unless `TOKEN_MAX_LIFE` says otherwise. */
  selfSigned: 24 * 3_600,
  /** One by which a bridge knows the ledger (interface/bridges#token-of-the-ledger). */
  ofLedger: 24 * 3_600,
} as const;
