/**
 * What a schema and a validation by it may take. Together the bounds limit the time to compile a schema, the memory it
 * keeps, and the time and memory of one validation.
 */
export interface Bounds {
  /** Bytes of the schema as JSON. */
  readonly bytes: number;
  /** Nesting of arrays and objects in the schema. */
  readonly depth: number;
  /** Subschemas and names in `dependencies`, counting those that references repeat in the compiled code. */
  readonly subschemas: number;
  /** Keywords of all subschemas, counted likewise. Compiling one takes about 40 µs and blocks the event loop. */
  readonly keywords: number;
  /**
   * Characters of the compiled code, estimated beforehand: every keyword writes out the names on the way to it, a text
   * that is no ASCII up to nine times as long.
   */
  readonly code: number;
  readonly pattern: PatternBounds;
  /** Steps of one validation; a step takes about a tenth of a microsecond. */
  readonly steps: number;
  /** Errors gathered during one validation, those of alternatives that are given up included. */
  readonly gathered: number;
  /** Characters of a member name that a schema judges by pattern or as an additional property. */
  readonly name: number;
  /** Errors in a verdict, and the characters they may hold together as JSON. */
  readonly answered: { readonly errors: number; readonly characters: number };
  /** Characters of a text in an error; longer ones are cut. */
  readonly text: number;
}

/** Bounds of the patterns of one schema. */
export interface PatternBounds {
  /** Characters of one pattern. */
  readonly characters: number;
  /** Instructions that one pattern compiles to, and all patterns together. */
  readonly instructions: number;
  readonly together: number;
  /** Number of different patterns. */
  readonly count: number;
  /** Unicode properties (`\p{…}`) in all patterns. Compiling one takes up to a fifth of a millisecond. */
  readonly properties: number;
}
