/**
 * A user schema (interface/schemas). Together these bound the time to compile one, the memory it keeps, and the cost of
 * judging one record.
 */
export const schemaLimits = {
  /** Bytes, as canonical JSON. */
  bytes: 64 * 1024,
  /** Levels of arrays and objects. */
  depth: 32,
  /** Subschemas and names in `dependencies`, counting those that references repeat in the compiled code. */
  subschemas: 300,
  /** Keywords of all subschemas, counted likewise: compiling one takes about 40 µs and holds the event loop. */
  keywords: 600,
  /** Characters of the compiled code: every keyword writes out the names on the way to it. */
  code: 2 * 1024 * 1024,
  pattern: {
    /** Characters of one pattern. */
    characters: 1_024,
    /** Instructions that one pattern compiles to. */
    instructions: 2_000,
    /** Instructions of all patterns of a schema. */
    together: 10_000,
    /** Patterns of a schema. */
    count: 100,
    /** Unicode properties that the patterns of a schema name: compiling one takes up to a fifth of a millisecond. */
    properties: 500,
  },
  /** Milliseconds that one validation may take. */
  validation: 60,
  /** Units of work per millisecond of `validation`; one is about a step of compiled code. */
  unitsPerMillisecond: 10_000,
  /** Errors gathered while judging, those of abandoned alternatives included. */
  gathered: 2_000,
  answered: {
    /** Errors answered. */
    errors: 100,
    /** Characters that the answered errors hold together as JSON. */
    characters: 64 * 1024,
  },
  /** Characters of a text in an answered error; longer ones are cut. */
  text: 1_024,
  /** Characters of a member name that a schema judges by pattern or as an additional property. */
  name: 1_024,
  /** Kilobytes, about, of all compiled user schemas that a process keeps. */
  compiledWeight: 50_000,
  /** Compiled user schemas that a process keeps. */
  compiled: 500,
} as const;
