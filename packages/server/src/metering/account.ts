/** What a ledger has used of the process lately, in steps: a leaky bucket. */
export interface LeakyBucket {
  used: number;
  /** Milliseconds of the clock up to which it has leaked. */
  since: number;
  /** The callers that wait for its turns, in order of arrival. */
  readonly waiting: (() => void)[];
}

/** The scheduler as a task sees it: charges steps, and grants turns. */
export interface Turns {
  /** Charges steps to the account. */
  charge(account: LeakyBucket, steps: number): void;
  /**
   * Resolves when it is the account's turn; undefined when that is now.
   *
   * @throws Overloaded when the queue is full
   */
  turn(account: LeakyBucket): Promise<void> | undefined;
}
