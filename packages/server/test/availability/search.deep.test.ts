import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Field, startField } from './field.js';
import { quantile } from './sampler.js';
import { type Attack, attacks, type Sizes } from './shapes.js';

/** Searches for the attack that delays others most; `SEED` repeats one, `SEARCH_STEPS` makes it longer. */
const SEED = Number(process.env.SEED ?? randomInt(2 ** 31));
const STEPS = Number(process.env.SEARCH_STEPS ?? 6);

const COURSE = { milliseconds: 1_500, atATime: 32, rest: 300 };

/** In processor time, as in `fair-turns.deep.test.ts`. */
const STRETCH = 200;

describe.skipIf(!process.env.LONG_TESTS)('a search for what delays others most', () => {
  it('finds nothing that keeps the event loop for long', { timeout: 3_600_000 }, async () => {
    const random = generator(SEED);
    const field = await startField();
    const found: { name: string; sizes: Sizes; stretch: number; p95: number; max: number; quiet: number }[] = [];
    try {
      for (const attack of attacks) found.push(await climbed(field, attack, random));
    } finally {
      await field.end();
    }
    found.sort((one, other) => other.stretch - one.stretch);
    console.log(`seed ${SEED}`);
    for (const { name, sizes, stretch, p95, max, quiet } of found) {
      const figures = `${stretch.toFixed(0)} ms of processor, reads ${p95.toFixed(0)} ms (95%), ${max.toFixed(0)} ms (most), quiet ${quiet.toFixed(0)} ms`;
      console.log(`${name} ${JSON.stringify(sizes)}: ${figures}`);
    }
    expect(found[0]?.stretch).toBeLessThan(STRETCH);
  });
});

/** The worst sizes of an attack: some at random, then from the worst on step by step. */
async function climbed(field: Field, attack: Attack, random: () => number) {
  let best = await measured(field, attack, [1, 0, 0, 1]);
  for (let step = 0; step < STEPS; step += 1) {
    const far = step < STEPS / 2;
    const sizes = best.sizes.map((size) => (far ? random() : within(size + (random() - 0.5) / 2))) as unknown as Sizes;
    // Sizes of which something is refused are no attack.
    const outcome = await measured(field, attack, sizes).catch(() => undefined);
    if (outcome && outcome.stretch > best.stretch) best = outcome;
  }
  return best;
}

async function measured(field: Field, attack: Attack, sizes: Sizes) {
  const { reads, stretch, quiet } = await field.attacked(attack, sizes, COURSE);
  return {
    name: attack.name,
    sizes,
    stretch,
    p95: quantile(reads, 0.95),
    max: quantile(reads, 1),
    quiet: quantile(quiet, 0.95),
  };
}

function within(size: number): number {
  return Math.round(100 * Math.min(1, Math.max(0, size))) / 100;
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
