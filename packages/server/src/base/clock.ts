/** The clock and the source of randomness, passed in so that tests can control both. */
export interface Runtime {
  /** Milliseconds since 1970. */
  now(): number;
  random(bytes: number): Uint8Array;
}

/** A moment as records carry it: ISO 8601 UTC with milliseconds. */
export function moment(runtime: Runtime): string {
  return new Date(runtime.now()).toISOString();
}
