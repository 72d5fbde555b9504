import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Field, startField } from './field.js';
import { quantile, REFUSED } from './sampler.js';
import { attacks, type Sizes } from './shapes.js';

/**
 * Milliseconds of processor time that a turn of the loop may take. Processor time counts the helpers of the engine too, and
 * grows where caches are shared: on an idle machine turns take a third of `alone`, beside the other tests twice as much.
 * Before there were turns and meters, these attacks took seconds.
 */
const STRETCH = { alone: 200, beside: 500 };

const BRIEF = { milliseconds: 150, atATime: 4, rest: 50 };
const LONG = { milliseconds: 1_000, atATime: 32, rest: 300 };

/** What no request of one tenant may delay another's small read beyond, in milliseconds on two processors. */
const BOUND = 250;

/**
 * Reads that take longer than this while nothing else is asked of the service, in milliseconds, show a machine that is busy
 * with other things: what the clock says of the service there, it says of them.
 */
const BUSY = 8;

/** The worst that the search has found of each sort (`search.deep.test.ts`). */
const worst: readonly (readonly [name: string, sizes: Sizes])[] = [
  ['patterns over a long text', [1, 0, 0.5, 1]],
  ['many records judged by many values', [0.1, 1, 0.6, 0]],
  ['large bodies', [1, 0, 1, 0.2]],
  ['schemas to compile', [1, 0, 1, 0]],
  ['data judged by a schema', [0, 1, 1, 0]],
  ['access checks', [0.2, 0.2, 0, 0]],
  ['large records, read and listed', [0.5, 0, 0, 1]],
  ['status policies', [1, 0.5, 1, 1]],
];

/** More of these sorts, nearly as bad. */
const others: typeof worst = [
  ['patterns over a long text', [1, 0, 0, 1]],
  ['schemas to compile', [1, 5 / 7, 0, 0]],
  ['schemas to compile', [1, 6 / 7, 0, 0]],
  ['schemas to compile', [1, 1, 0, 0]],
];

describe.skipIf(process.platform === 'win32')('a small read of one tenant', () => {
  let field: Field;

  beforeAll(async () => {
    field = await startField(process.env.LONG_TESTS ? 5 : 25);
  });

  afterAll(async () => {
    await field?.end();
  });

  it.each(worst)('has its turn while another sends %s, %j', async (name, sizes) => {
    const attack = attacks.find((one) => one.name === name)!;
    const { reads, stretch, answered } = await field.attacked(attack, sizes, BRIEF);
    expect(answered).toBeGreaterThan(0);
    expect(quantile(reads, 1)).toBeLessThan(REFUSED);
    expect(stretch).toBeLessThan(STRETCH.beside);
  });

  // The clock tells of the service only where nothing else runs: measured alone, by
  // `LONG_TESTS=1 npm run test:deep -- packages/server/test/availability/fair-turns.deep.test.ts`.
  it.skipIf(!process.env.LONG_TESTS).each([...worst, ...others])(
    'is answered soon while another sends %s, %j',
    async (name, sizes) => {
      const attack = attacks.find((one) => one.name === name)!;
      const { reads, stretch, quiet, answered } = await field.attacked(attack, sizes, LONG);
      expect(answered).toBeGreaterThan(0);
      expect(stretch).toBeLessThan(STRETCH.alone);
      if (quantile(quiet, 0.95) < BUSY) expect(quantile(reads, 0.98)).toBeLessThan(BOUND);
    },
  );
});
