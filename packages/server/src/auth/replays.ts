/**
 * Which single-use tokens were used (claim `jti`, contract 03 §4.2). All processes of a deployment share the memory: a
 * token used in one is used in all.
 */
export interface Replays {
  /**
   * Marks `jti` as used in `ledger` until `expiresAt` (milliseconds). Of all calls with the same ledger and `jti` within
   * that time exactly one answers true. False as well when the use cannot be remembered.
   */
  use(ledger: string, jti: string, expiresAt: number): boolean | Promise<boolean>;
}
