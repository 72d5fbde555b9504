import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Field, startField } from './field.js';
import { quantile } from './sampler.js';
import { attacks, type Sizes } from './shapes.js';

/** What no request of one tenant may delay another's small read beyond, in milliseconds on two processors. */
const BOUND = 250;

/**
 * Reads that take longer than this while nothing else is asked of the service, in milliseconds, show a machine that is busy
 * with other things: what the clock says of the service there, it says of them.
 */
const BUSY = 8;

/**
 * Milliseconds of processor time that a turn of the loop may take, whatever else the machine does. Processor time counts
 * the helpers of the engine too, and grows somewhat where caches are shared: on an idle machine turns take a third of it.
 * Before there were turns and meters, these attacks took seconds.
 */
const STRETCH = 200;

/** The worst that the search has found of each shape (`search.test.ts`). */
const worst: readonly (readonly [name: string, sizes: Sizes])[] = [
  ['patterns over a long text', [1, 0, 0, 1]],
  ['patterns over a long text', [1, 0, 0.5, 1]],
  ['many records judged by many values', [0.1, 1, 0.6, 0]],
  ['large bodies', [1, 0, 1, 0.2]],
  ['schemas to compile', [1, 0, 1, 0]],
  ['schemas to compile', [1, 5 / 7, 0, 0]],
  ['schemas to compile', [1, 6 / 7, 0, 0]],
  ['schemas to compile', [1, 1, 0, 0]],
  ['data judged by a schema', [0, 1, 1, 0]],
  ['access checks', [0.2, 0.2, 0, 0]],
  ['large records, read and listed', [0.5, 0, 0, 1]],
  ['status policies', [1, 0.5, 1, 1]],
];

describe.skipIf(process.platform === 'win32')('a small read of one tenant', () => {
  let field: Field;

  beforeAll(async () => {
    field = await startField();
  }, 120_000);

  afterAll(async () => {
    await field?.end();
  });

  it.each(worst)('is answered soon while another sends %s, %j', { timeout: 120_000 }, async (name, sizes) => {
    const attack = attacks.find((one) => one.name === name)!;
    const { reads, stretch, quiet, answered } = await field.attacked(attack, sizes, 1_000);
    expect(answered).toBeGreaterThan(0);
    expect(stretch).toBeLessThan(STRETCH);
    if (quantile(quiet, 0.95) < BUSY) expect(quantile(reads, 0.98)).toBeLessThan(BOUND);
  });
});
