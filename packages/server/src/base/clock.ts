/** Where the service takes time and chance from, so that tests can hold both still. */
export interface Nature {
  /** Milliseconds since 1970. */
  now(): number;
  random(bytes: number): Uint8Array;
}

/** A moment as records carry it: ISO 8601 UTC with milliseconds. */
export function moment(nature: Nature): string {
  return new Date(nature.now()).toISOString();
}
