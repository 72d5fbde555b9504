/** Milliseconds: of the first delay, and of the longest. */
export interface BackOff {
  readonly first: number;
  readonly greatest: number;
}

/**
 * Exponential back-off with jitter: the delay doubles with each failure up to a bound, and a random
 * part keeps processes that failed together from trying again together.
 *
 * @param failures in a row, 1 or more
 * @param random from 0 to 1, 1 excluded
 * @returns milliseconds, from half of the delay to all of it
 */
export function backOff({ first, greatest }: BackOff, failures: number, random: number): number {
  // After 52 doublings every bound is exceeded; the cap keeps the number finite.
  const delay = Math.min(greatest, first * 2 ** Math.min(failures - 1, 52));
  return spread(delay, random);
}

/** The time with jitter: from half of it to all of it. */
export function spread(milliseconds: number, random: number): number {
  return milliseconds * (0.5 + 0.5 * random);
}
