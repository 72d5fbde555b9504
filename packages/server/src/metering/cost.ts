/** The account of the work done, in steps of about a tenth of a microsecond. */
export interface Cost {
  /** @throws the error of the implementation when the work exceeds its bound */
  spend(steps: number): void;
}
