/** What a ledger has used of the process lately, in steps: a leaky bucket. */
export interface Account {
  used: number;
  /** Milliseconds of the clock up to which it has leaked. */
  since: number;
  /** Those who wait for its turns, in the order they came. */
  readonly waiting: (() => void)[];
}

/** Where tasks are charged and wait for their turns: the scheduler, as a task sees it. */
export interface Turns {
  /** Takes note of steps taken. */
  charge(account: Account, steps: number): void;
  /**
   * Resolves when it is the account's turn; nothing when that is now.
   *
   * @throws Overloaded when too many wait
   */
  turn(account: Account): Promise<void> | undefined;
}
