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

/** Who pays for slices: a task, by the account that it has at the time. */
export interface Payer {
  readonly account: LeakyBucket;
  /** Steps that it was charged in all. */
  charged: number;
}

/** The scheduler as a task sees it: charges steps, and grants turns. */
export interface Turns {
  /** Charges steps to the account. */
  charge(account: LeakyBucket, steps: number): void;
  /** Moves steps from the account that they were charged to to another one. */
  move(steps: number, from: LeakyBucket, to: LeakyBucket): void;
  /**
   * Resolves when it is the payer's turn; undefined when that is now. Its slice is charged by the time that it takes.
   *
   * @param steps of it that the payer was charged already
   * @throws Overloaded when the queue is full
   */
  turn(payer: Payer, steps?: number): Promise<void> | undefined;
}
