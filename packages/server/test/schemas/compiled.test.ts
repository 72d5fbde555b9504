import { describe, expect, test } from 'vitest';
import { UNBOUNDED } from '../../src/metering/task.js';
import { CompiledSchemas } from '../../src/schemas/compiled-schemas.js';
import { schemaLimits } from '../../src/schemas/schema-limits.js';
import { refusalOf } from './support.js';

/** Patterns weigh more than they take to compile. */
const large = { allOf: Array.from({ length: 100 }, (_, i) => ({ pattern: `^${i}$` })) };

describe('compiled schemas', () => {
  test('are found by hash until something else was needed more', async () => {
    const kept = new CompiledSchemas();
    const first = await kept.add('0', { type: 'object' }, UNBOUNDED);
    for (let i = 1; i < schemaLimits.compiled; i++) await kept.add(`${i}`, {}, UNBOUNDED);
    expect(kept.size).toBe(schemaLimits.compiled);
    expect(kept.get('0')).toBe(first);
    await kept.add('more', {}, UNBOUNDED);
    expect(kept.size).toBe(schemaLimits.compiled);
    expect(kept.get('0')).toBe(first);
    expect(kept.get('1')).toBeUndefined();
  });

  test('are bounded in what they weigh together', async () => {
    const kept = new CompiledSchemas();
    const { weight } = await kept.add('0', large, UNBOUNDED);
    expect(weight).toBeGreaterThan(schemaLimits.compiledWeight / schemaLimits.compiled);
    const fitting = Math.floor(schemaLimits.compiledWeight / weight);
    for (let i = 1; i < fitting; i++) await kept.add(`${i}`, large, UNBOUNDED);
    expect(kept.size).toBe(fitting);
    await kept.add('more', large, UNBOUNDED);
    expect(kept.size).toBe(fitting);
    expect(kept.get('0')).toBeUndefined();
  });

  test('weigh once when added twice', async () => {
    const kept = new CompiledSchemas();
    for (let i = 0; i < 30; i++) await kept.add('same', large, UNBOUNDED);
    await kept.add('other', {}, UNBOUNDED);
    expect(kept.get('same')).toBeDefined();
    expect(kept.size).toBe(2);
  });

  test('keep nothing of a schema that is refused', async () => {
    const kept = new CompiledSchemas();
    expect((await refusalOf(() => kept.add('0', { type: 'nonsense' }, UNBOUNDED))).detail).toBe(
      'Schema content is invalid',
    );
    expect(kept.get('0')).toBeUndefined();
    expect(kept.size).toBe(0);
  });
});
