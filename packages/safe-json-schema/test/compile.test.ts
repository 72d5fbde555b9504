import { describe, expect, test } from 'vitest';
import { SchemaError } from '../src/index.js';
import { bounds, compile, outcome, refusal } from './support.js';

describe('a verdict', () => {
  test('has all errors, in five members each, and the steps it took', () => {
    const amount = { type: 'number', maximum: 50 };
    const schema = compile({ properties: { list: { items: { properties: { amount } } } } });
    const { outcome, errors, steps } = schema.validate({ list: [{ amount: 51 }, { amount: 52 }] });
    expect(outcome).toBe('invalid');
    expect(errors.map(({ instancePath }) => instancePath)).toEqual(['/list/0/amount', '/list/1/amount']);
    expect(errors[0]).toEqual({
      instancePath: '/list/0/amount',
      schemaPath: '#/properties/list/items/properties/amount/maximum',
      keyword: 'maximum',
      params: { comparison: '<=', limit: 50 },
      message: 'must be <= 50',
    });
    expect(steps).toBeGreaterThan(0);
    const valid = schema.validate({ list: [] });
    expect(valid).toMatchObject({ outcome: 'valid', errors: [] });
    expect(valid.steps).toBeGreaterThan(0);
    expect(valid.steps).toBeLessThan(steps);
  });

  test('counts the steps of one validation, up to the bound', () => {
    const schema = compile({ properties: { list: { items: { minimum: 0 } } } });
    const spent = (count: number) => schema.validate({ list: Array(count).fill(1) });
    const { steps } = spent(1_000);
    expect(spent(1_000).steps).toBe(steps);
    const perItem = (steps - spent(0).steps) / 1_000;
    const most = Math.floor((bounds.steps - spent(0).steps) / perItem);
    expect(spent(most).outcome).toBe('valid');
    expect(spent(most + 1)).toMatchObject({ outcome: 'exhausted', errors: [] });
  });

  test('has the first errors, as many as may be answered', () => {
    const schema = compile({ properties: { list: { items: { type: 'string' } } } });
    const { errors: most } = bounds.answered;
    for (const [count, listed] of [
      [most, most],
      [most + 1, most],
      [bounds.gathered, most],
      // More than can be gathered: the first alone.
      [bounds.gathered + 2, 1],
    ] as const) {
      expect(schema.validate({ list: Array(count).fill(0) }).errors).toHaveLength(listed);
    }
  });

  test('holds as many characters as may be answered, in texts that are cut', () => {
    const name = 'n'.repeat(bounds.name);
    const schema = compile({ additionalProperties: { items: { type: 'string' } } });
    const { errors } = schema.validate({ [name]: Array(bounds.answered.errors).fill(0) });
    expect(errors[0]?.instancePath).toBe(`/${name.slice(1)}…`);
    const size = (list: typeof errors) => list.reduce((sum, error) => sum + JSON.stringify(error).length, 0);
    expect(size(errors)).toBeLessThanOrEqual(bounds.answered.characters);
    expect(size(errors) + size(errors.slice(0, 1))).toBeGreaterThan(bounds.answered.characters);
  });

  test('cuts no character in half', () => {
    const schema = compile({ additionalProperties: { type: 'string' } });
    const { errors } = schema.validate({ [`${'n'.repeat(bounds.text - 2)}😀`]: 1 });
    expect(errors[0]?.instancePath).toBe(`/${'n'.repeat(bounds.text - 2)}…`);
  });
});

describe('a schema', () => {
  test('that is refused says why', () => {
    expect(refusal({ type: 'nonsense' })).toContain('schema is invalid: data/type must be equal to one of');
    expect(refusal({ $schema: 'http://json-schema.org/draft-04/schema#' })).toContain('no schema with key or ref');
    expect(refusal({ pattern: '(?=a)' })).toContain('look-around');
    expect(new SchemaError('why')).toMatchObject({ name: 'SchemaError', message: 'why' });
  });

  test('is left as it was, and free of what reaches beyond it', () => {
    const schema = {
      $id: 'http://json-schema.org/draft-07/schema#',
      $async: true,
      'x-metered': 1,
      properties: { a: { $ref: '#/definitions/a%20b' } },
      definitions: { 'a b': { type: 'string' } },
    };
    const before = structuredClone(schema);
    const compiled = compile(schema);
    expect(schema).toEqual(before);
    expect(outcome(compiled, { a: 'x' })).toBe('valid');
    expect(outcome(compiled, { a: 1 })).toBe('invalid');
  });

  test('weighs more with its subschemas and patterns', () => {
    const weightOf = (count: number, make: (index: number) => object) =>
      compile({ allOf: Array.from({ length: count }, (_, index) => make(index)) }).weight;
    expect(compile({}).weight).toBe(20);
    expect(weightOf(51, () => ({ minimum: 1 })) - weightOf(1, () => ({ minimum: 1 }))).toBeGreaterThan(50);
    expect(weightOf(51, (i) => ({ pattern: `${i}` })) - weightOf(51, () => ({ pattern: '0' }))).toBeGreaterThan(250);
  });
});
