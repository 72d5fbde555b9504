/** Attempts of a delivery that is rejected, or whose receiver cannot be reached, before it is set aside (interface/effects#attempts). */
export const ATTEMPTS = { rejected: 6, unreachable: 11 } as const;

/** Milliseconds before the second attempt, what each delay is multiplied by for the next, and the greatest. */
export const RETRY_DELAYS = { first: 1_000, factor: 1.2, greatest: 3_600_000 } as const;

/** Milliseconds until the attempt after `tries` failed ones: 1 s, and a fifth more each time. */
export function retryDelay(tries: number): number {
  const { first, factor, greatest } = RETRY_DELAYS;
  return Math.min(greatest, Math.round(first * factor ** (tries - 1)));
}
