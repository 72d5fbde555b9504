import fc from 'fast-check';
import { seedOf } from '../../../../scripts/seed.mjs';

/**
 * The seed of everything in the tests that is drawn at random: the same in every run, so that a red run means a defect.
 * `npm run soak` draws another one and prints it; TEST_SEED repeats it.
 */
export const seed = seedOf(process.env);

// What property tests find is reported with the seed and the path to it.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

/** Numbers from 0 to 1, the same for the same seed. */
export function seeded(): () => number {
  let state = seed;
  return () => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
