/** The JSON that clients and services send. */
export const jsonLimits = {
  /** Levels of arrays and objects in a request body. */
  depth: 64,
  /** Values (members, elements) in a request body. */
  values: 50_000,
} as const;
