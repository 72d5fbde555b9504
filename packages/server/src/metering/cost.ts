/** What the work done is charged to, in steps of about a tenth of a microsecond. */
export interface Cost {
  /** @throws what the bearer of the cost says when there has been more work than there may be */
  spend(steps: number): void;
}
