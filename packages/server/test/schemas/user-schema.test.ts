import type { JsonObject } from '@countersign/protocol';
import { describe, expect, test } from 'vitest';
import { limits } from '../../src/limits.js';
import { compileUserSchema } from '../../src/schemas/user-schema.js';
import { refusal } from './support.js';

function check(schema: object, data: object) {
  return refusal(() => compileUserSchema(schema as JsonObject).check(data as JsonObject));
}

function content(schema: object) {
  const { reason, detail, errors, message } = refusal(() => compileUserSchema(schema as JsonObject));
  expect([reason, detail, errors]).toEqual(['record.schema-invalid', 'Schema content is invalid', undefined]);
  return message;
}

describe('data against a user schema', () => {
  test('that matches passes', () => {
    const schema = compileUserSchema({ type: 'object', required: ['custom'] });
    expect(() => schema.check({ handle: 'a', custom: {} })).not.toThrow();
  });

  test('is refused in the recorded form', () => {
    expect(check({ type: 'object', required: ['custom'] }, { handle: 'a' })).toEqual({
      reason: 'record.schema-invalid',
      detail: "Schema validator error: data must have required property 'custom'",
      message: undefined,
      errors: [
        {
          instancePath: '',
          schemaPath: '#/required',
          keyword: 'required',
          params: { missingProperty: 'custom' },
          message: "must have required property 'custom'",
        },
      ],
    });
  });

  test('has all its errors listed', () => {
    const amount = { type: 'number', maximum: 50 };
    const schema = { properties: { claims: { type: 'array', items: { type: 'object', properties: { amount } } } } };
    const { detail, errors } = check(schema, { claims: [{ amount: 51 }, { amount: 52 }] });
    expect(detail).toBe(
      'Schema validator error: data.claims.0.amount must be <= 50, data.claims.1.amount must be <= 50',
    );
    expect(errors?.[0]).toEqual({
      instancePath: '/claims/0/amount',
      schemaPath: '#/properties/claims/items/properties/amount/maximum',
      keyword: 'maximum',
      params: { comparison: '<=', limit: 50 },
      message: 'must be <= 50',
    });
  });

  test('with a value that is not allowed keeps the plain message', () => {
    const schema = { properties: { custom: { properties: { kind: { enum: ['a', 'b'] } } } } };
    const { detail, errors } = check(schema, { custom: { kind: 'c' } });
    expect(detail).toBe('Schema validator error: data.custom.kind must be equal to one of the allowed values');
    expect(errors?.[0]).toMatchObject({ params: { allowedValues: ['a', 'b'] } });
  });

  test('with more errors than are answered has the first of them', () => {
    const schema = { properties: { list: { items: { type: 'string' } } } };
    const { errors: most } = limits.schema.answered;
    for (const [count, listed] of [
      [most, most],
      [most + 1, most],
      [limits.schema.gathered, most],
    ] as const) {
      const { errors } = check(schema, { list: Array(count).fill(0) });
      expect(errors).toHaveLength(listed);
    }
    // More than can be gathered: the first alone.
    const { errors } = check(schema, { list: Array(limits.schema.gathered + 2).fill(0) });
    expect(errors).toHaveLength(1);
  });

  test('gets an answer whose size does not grow with the names in it', () => {
    const name = 'n'.repeat(limits.schema.name);
    const schema = { additionalProperties: { additionalProperties: { items: { type: 'string' } } } };
    const data = { [name]: { [name]: Array(90).fill(0) } };
    expect(JSON.stringify(check(schema, data)).length).toBeLessThan(4 * limits.schema.answered.characters);
  });

  test('finds no members that every object inherits', () => {
    expect(check({ required: ['toString', '__proto__'] }, {}).errors).toHaveLength(2);
    const schema = compileUserSchema({ properties: { constructor: { type: 'string' } }, required: ['valueOf'] });
    expect(() => schema.check({ valueOf: 1 })).not.toThrow();
    const parsed = JSON.parse('{"__proto__":1}') as JsonObject;
    expect(() => compileUserSchema({ required: ['__proto__'] }).check(parsed)).not.toThrow();
    expect(check({ additionalProperties: false }, parsed).errors).toHaveLength(1);
  });

  test('is compared by value, whatever its members are called', () => {
    const value = { valueOf: 1, toString: 2, constructor: 3, toJSON: 4 };
    const same = Object.fromEntries(Object.entries(value).reverse());
    const schema = compileUserSchema({
      properties: { a: { enum: [0, value] }, b: { const: value }, c: { uniqueItems: true } },
    });
    expect(() => schema.check({ a: same, b: same, c: [value, { ...value, valueOf: 2 }] })).not.toThrow();
    const { detail } = refusal(() => schema.check({ a: { valueOf: 1 }, b: { toString: 2 }, c: [value, 1, same] }));
    expect(detail).toBe(
      'Schema validator error: data.a must be equal to one of the allowed values, data.b must be equal to constant, ' +
        'data.c must NOT have duplicate items (items ## 0 and 2 are identical)',
    );
  });

  test.each([`'"\\\``, '\n\r\u2028\u2029', '*/ //', '`+x+`', '</script>', '\0', 'a"];throw 1;//', '😀'])(
    'has a member named %j judged',
    (name) => {
      const schema = { properties: { [name]: { type: 'string' } }, required: [name], additionalProperties: false };
      const compiled = compileUserSchema(schema);
      expect(() => compiled.check({ [name]: 'x' })).not.toThrow();
      expect(refusal(() => compiled.check({})).errors?.[0]).toMatchObject({ params: { missingProperty: name } });
      expect(refusal(() => compiled.check({ [name]: 1 })).errors?.[0]).toMatchObject({ keyword: 'type' });
      const pattern = compileUserSchema({ properties: { a: { enum: [name] } }, dependencies: { [name]: ['a'] } });
      expect(refusal(() => pattern.check({ [name]: 1 })).errors).toHaveLength(1);
    },
  );

  test('is judged the same each time, whatever came before', () => {
    const schema = compileUserSchema({ properties: { a: { type: 'string' }, b: { pattern: 'x' } } });
    const first = refusal(() => schema.check({ a: 1, b: 'y' }));
    expect(() => schema.check({ a: 'x', b: 'x' })).not.toThrow();
    expect(refusal(() => schema.check({ a: 1, b: 'y' }))).toEqual(first);
  });
});

describe('the bounds of a user schema', () => {
  const { schema } = limits;
  const cases: [string, number, (size: number) => object, string][] = [
    ['bytes', schema.bytes, (size) => ({ title: 'n'.repeat(size - 12) }), `larger than ${schema.bytes} bytes`],
    ['subschemas', schema.subschemas, (size) => ({ allOf: Array(size - 1).fill({ type: 'null' }) }), 'subschemas'],
    [
      'keywords',
      schema.keywords,
      (size) => Object.fromEntries(Array.from({ length: size }, (_, i) => [i, 0])),
      'keywords',
    ],
    ['characters of a pattern', schema.pattern.characters, (size) => ({ pattern: 'a'.repeat(size) }), 'longer than'],
    [
      'patterns',
      schema.pattern.count,
      (size) => ({ allOf: Array.from({ length: size }, (_, i) => ({ pattern: `${i}` })) }),
      'different patterns',
    ],
  ];

  test.each(cases)('are those of limits.ts: %s', (_, most, sized, message) => {
    expect(() => compileUserSchema(sized(most) as JsonObject)).not.toThrow();
    expect(content(sized(most + 1))).toContain(message);
  });

  test('are those of limits.ts: milliseconds of a validation', () => {
    const compiled = compileUserSchema({ properties: { list: { items: { minimum: 0 } } } });
    const steps = (count: number) => {
      let spent = 0;
      const data = { list: Array(count).fill(1) };
      const run = () =>
        compiled.check(data, (steps) => {
          spent = steps;
        });
      return { run, spent: () => spent };
    };
    const [none, thousand] = [steps(0), steps(1_000)];
    none.run();
    thousand.run();
    const perItem = (thousand.spent() - none.spent()) / 1_000;
    const most = Math.floor((limits.validation * schema.unitsPerMillisecond - none.spent()) / perItem);
    expect(steps(most).run).not.toThrow();
    const beyond = steps(most + 1);
    expect(refusal(beyond.run).detail).toBe('Schema validator error: validation took too long');
    // What came of it is told all the same: it is charged to the request.
    expect(beyond.spent()).toBeGreaterThan(limits.validation * schema.unitsPerMillisecond);
  });
});

describe('the content of a schema', () => {
  test('that is no schema is refused in the recorded wording', () => {
    expect(content({ type: 'nonsense' })).toBe(
      'schema is invalid: data/type must be equal to one of the allowed values, data/type must be array, ' +
        'data/type must match a schema in anyOf',
    );
  });

  test.each([
    [{ properties: 5 }, 'data/properties must be object'],
    [{ enum: [] }, 'schema is invalid: data/enum must NOT have fewer than 1 items'],
    [{ pattern: '(' }, 'Invalid regular expression'],
    [{ pattern: '(?=a)' }, 'look-around'],
    [{ patternProperties: { '(a)\\1': { minimum: 1 } } }, 'back-reference'],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, 'no schema with key or ref'],
    [{ nullable: true }, '"nullable" cannot be used without "type"'],
    [JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'), '"__proto__" is not supported'],
  ])('%j is refused with a reason', (schema, message) => {
    expect(content(schema)).toContain(message);
  });

  test('may name draft-07, an id of its own, and formats and keywords nobody knows', () => {
    for (const $schema of ['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft-07/schema']) {
      const $id = 'http://json-schema.org/draft-07/schema#';
      const schema = compileUserSchema({ $schema, $id, $async: true, format: 'nobody', unknown: {}, type: 'object' });
      expect(() => schema.check({})).not.toThrow();
    }
  });

  test('can use the name of the keyword that counts', () => {
    const schema = { 'x-metered': 1, properties: { 'x-metered': { type: 'string' } }, additionalProperties: false };
    expect(() => compileUserSchema(schema).check({ 'x-metered': 'a' })).not.toThrow();
    expect(check(schema, { 'x-metered': 1 }).errors).toHaveLength(1);
  });

  test('is left as it was', () => {
    const schema: JsonObject = {
      $id: 'a',
      properties: { a: { $ref: '#/definitions/a%20b' } },
      definitions: { 'a b': {} },
    };
    const before = structuredClone(schema);
    compileUserSchema(schema);
    expect(schema).toEqual(before);
  });
});
