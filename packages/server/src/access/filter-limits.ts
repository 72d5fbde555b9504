/** Filters of lists, effects, lookups and rules (interface/lists#filters). */
export const filterLimits = {
  /** Filters in one query. */
  count: 32,
  /** Characters of a filter's path or value. */
  characters: 1_024,
  /** Segments of a filter's path. */
  depth: 16,
  /** Elements of one `$in`. */
  elements: 256,
} as const;
