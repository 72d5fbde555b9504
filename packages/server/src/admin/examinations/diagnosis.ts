/** What was looked at, and how it stands. */
export interface Diagnosis {
  readonly part: string;
  readonly isFine: boolean;
  readonly text: string;
  /** What to do; absent where all is well. */
  readonly advice?: string;
  /** Of the database: it does not answer. */
  readonly isUnreachable?: true;
}

/** A look at a part. @returns how it stands @throws Illness */
export type Examine = () => Promise<string>;

/** Something is not as it should be: what, and what to do. */
export class Illness extends Error {
  constructor(
    message: string,
    readonly advice: string,
  ) {
    super(message);
  }
}
