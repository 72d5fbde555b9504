/** What a ledger, or a sender, has used of the process lately, in steps: a leaky bucket. */
export interface LeakyBucket {
  /** The account that it takes its turns within, and that is charged as well. */
  readonly within?: LeakyBucket;
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
  /** Moves steps from the account that they were charged to to another one, and what the slice under way is found to take. */
  move(steps: number, from: LeakyBucket, to: LeakyBucket): void;
  /**
   * Resolves when it is the account's turn; undefined when that is now.
   *
   * @throws Overloaded when the queue is full
   */
  turn(account: LeakyBucket): Promise<void> | undefined;
}
