/**
 * What a user schema may ask for beyond `limits.schema` (contract 02 §1). Together they bound the time to compile one,
 * the memory it keeps, and what judging one record may cost.
 */
export const bounds = {
  /** Subschemas and names in `dependencies`, counting those that references repeat in the compiled code. */
  subschemas: 1_000,
  /** Characters of one pattern, instructions it compiles to, those of all patterns of a schema, and their number. */
  pattern: { characters: 1_024, instructions: 2_000, together: 10_000, count: 100 },
  /** Units of work per millisecond of `limits.validation`; one unit is about a step of compiled code. */
  unitsPerMillisecond: 10_000,
  /** Errors gathered while judging, those of alternatives that are given up included. */
  gathered: 2_000,
  /** Errors answered, and the characters they may hold together as JSON. */
  answered: { errors: 100, characters: 64 * 1024 },
  /** Characters of a text in an answered error; longer ones are cut. */
  text: 1_024,
  /** Characters of a member name that a schema judges by pattern or as an additional property. */
  name: 1_024,
  /** The weight (about a kilobyte each) of all compiled user schemas that are kept. */
  compiledWeight: 50_000,
} as const;
