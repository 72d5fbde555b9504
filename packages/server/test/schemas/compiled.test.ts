import { describe, expect, test } from 'vitest';
import { limits } from '../../src/limits.js';
import { CompiledSchemas } from '../../src/schemas/compiled.js';
import { refusal } from './support.js';

/** Patterns weigh more than they take to compile. */
const large = { allOf: Array.from({ length: 100 }, (_, i) => ({ pattern: `^${i}$` })) };

describe('compiled schemas', () => {
  test('are found by hash until something else was needed more', () => {
    const kept = new CompiledSchemas();
    const first = kept.add('0', { type: 'object' });
    for (let i = 1; i < limits.compiled; i++) kept.add(`${i}`, {});
    expect(kept.size).toBe(limits.compiled);
    expect(kept.get('0')).toBe(first);
    kept.add('more', {});
    expect(kept.size).toBe(limits.compiled);
    expect(kept.get('0')).toBe(first);
    expect(kept.get('1')).toBeUndefined();
  });

  test('are bounded in what they weigh together', () => {
    const kept = new CompiledSchemas();
    const { weight } = kept.add('0', large);
    expect(weight).toBe(20 + 101 + 100 * 20);
    const fitting = Math.floor(limits.schema.compiledWeight / weight);
    for (let i = 1; i < fitting; i++) kept.add(`${i}`, large);
    expect(kept.size).toBe(fitting);
    kept.add('more', large);
    expect(kept.size).toBe(fitting);
    expect(kept.get('0')).toBeUndefined();
  });

  test('weigh once when added twice', () => {
    const kept = new CompiledSchemas();
    for (let i = 0; i < 30; i++) kept.add('same', large);
    kept.add('other', {});
    expect(kept.get('same')).toBeDefined();
    expect(kept.size).toBe(2);
  });

  test('keep nothing of a schema that is refused', () => {
    const kept = new CompiledSchemas();
    expect(refusal(() => kept.add('0', { type: 'nonsense' })).detail).toBe('Schema content is invalid');
    expect(kept.get('0')).toBeUndefined();
    expect(kept.size).toBe(0);
  });
});
