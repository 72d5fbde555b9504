/** What random tests draw from in every run but the long ones. */
const FIXED = 20_260_731;

/**
 * The seed of the random tests: TEST_SEED where it is given.
 *
 * @param env of the process
 * @returns a whole number from 0 below 2^31
 */
export function seedOf({ TEST_SEED: given }) {
  if (!given) return FIXED;
  const seed = /^\d{1,10}$/.test(given) ? Number(given) : Number.NaN;
  if (!(seed < 2 ** 31)) throw new Error(`TEST_SEED must be a whole number below 2^31, not ${given}`);
  return seed;
}
