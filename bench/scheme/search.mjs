/** Seconds of one try, and of the pause before the next. */
export const TRY = 30;

/** The search ends when the highest rate that held is so near to the lowest that did not. */
const NEAR = 0.08;

/**
 * Looks for the highest rate that holds the bar: twice the rate while it holds, then halves of what is between.
 *
 * @param first transfers per second to begin with
 * @param attempt runs at a rate; whether that held
 * @returns the rate; undefined if not even the first one held
 */
export async function findHighestRate(first, attempt) {
  let held;
  let failed;
  for (let rate = first; ; rate = failed === undefined ? held * 2 : Math.round((held + failed) / 20) * 10) {
    if (await attempt(rate)) held = rate;
    else failed = rate;
    if (held === undefined) return undefined;
    if (failed !== undefined && failed - held <= Math.max(10, held * NEAR)) return held;
  }
}
