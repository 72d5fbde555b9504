import type { JsonObject } from '@countersign/protocol';
import { describe, expect, test } from 'vitest';
import { schemaLimits } from '../../src/schemas/schema-limits.js';
import { compile, refusalOf } from './support.js';

function check(schema: object, data: object) {
  return refusalOf(async () => (await compile(schema)).check(data as JsonObject));
}

async function content(schema: object) {
  const { reason, detail, errors, message } = await refusalOf(() => compile(schema));
  expect([reason, detail, errors]).toEqual(['record.schema-invalid', 'Schema content is invalid', undefined]);
  return message;
}

describe('data against a user schema', () => {
  test('that matches passes', async () => {
    const schema = await compile({ type: 'object', required: ['custom'] });
    expect(() => schema.check({ handle: 'a', custom: {} })).not.toThrow();
  });

  test('is refused in the recorded form', async () => {
    expect(await check({ type: 'object', required: ['custom'] }, { handle: 'a' })).toEqual({
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

  test('has all its errors listed', async () => {
    const amount = { type: 'number', maximum: 50 };
    const schema = { properties: { claims: { type: 'array', items: { type: 'object', properties: { amount } } } } };
    const { detail, errors } = await check(schema, { claims: [{ amount: 51 }, { amount: 52 }] });
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

  test('with a value that is not allowed keeps the plain message', async () => {
    const schema = { properties: { custom: { properties: { kind: { enum: ['a', 'b'] } } } } };
    const { detail, errors } = await check(schema, { custom: { kind: 'c' } });
    expect(detail).toBe('Schema validator error: data.custom.kind must be equal to one of the allowed values');
    expect(errors?.[0]).toMatchObject({ params: { allowedValues: ['a', 'b'] } });
  });

  test('with more errors than are answered has the first of them', async () => {
    const schema = { properties: { list: { items: { type: 'string' } } } };
    const { errors: most } = schemaLimits.answered;
    for (const [count, listed] of [
      [most, most],
      [most + 1, most],
      [schemaLimits.gathered, most],
    ] as const) {
      const { errors } = await check(schema, { list: Array(count).fill(0) });
      expect(errors).toHaveLength(listed);
    }
    // More than can be gathered: the first alone.
    const { errors } = await check(schema, { list: Array(schemaLimits.gathered + 2).fill(0) });
    expect(errors).toHaveLength(1);
  });

  test('gets an answer whose size does not grow with the names in it', async () => {
    const name = 'n'.repeat(schemaLimits.name);
    const schema = { additionalProperties: { additionalProperties: { items: { type: 'string' } } } };
    const data = { [name]: { [name]: Array(90).fill(0) } };
    expect(JSON.stringify(await check(schema, data)).length).toBeLessThan(4 * schemaLimits.answered.characters);
  });

  test('finds no members that every object inherits', async () => {
    expect((await check({ required: ['toString', '__proto__'] }, {})).errors).toHaveLength(2);
    const schema = await compile({ properties: { constructor: { type: 'string' } }, required: ['valueOf'] });
    expect(() => schema.check({ valueOf: 1 })).not.toThrow();
    const parsed = JSON.parse('{"__proto__":1}') as JsonObject;
    const named = await compile({ required: ['__proto__'] });
    expect(() => named.check(parsed)).not.toThrow();
    expect((await check({ additionalProperties: false }, parsed)).errors).toHaveLength(1);
  });

  test('is compared by value, whatever its members are called', async () => {
    const value = { valueOf: 1, toString: 2, constructor: 3, toJSON: 4 };
    const same = Object.fromEntries(Object.entries(value).reverse());
    const schema = await compile({
      properties: { a: { enum: [0, value] }, b: { const: value }, c: { uniqueItems: true } },
    });
    expect(() => schema.check({ a: same, b: same, c: [value, { ...value, valueOf: 2 }] })).not.toThrow();
    const { detail } = await refusalOf(() =>
      schema.check({ a: { valueOf: 1 }, b: { toString: 2 }, c: [value, 1, same] }),
    );
    expect(detail).toBe(
      'Schema validator error: data.a must be equal to one of the allowed values, data.b must be equal to constant, ' +
        'data.c must NOT have duplicate items (items ## 0 and 2 are identical)',
    );
  });

  test.each([`'"\\\``, '\n\r\u2028\u2029', '*/ //', '`+x+`', '</script>', '\0', 'a"];throw 1;//', '😀'])(
    'has a member named %j judged',
    async (name) => {
      const schema = { properties: { [name]: { type: 'string' } }, required: [name], additionalProperties: false };
      const compiled = await compile(schema);
      expect(() => compiled.check({ [name]: 'x' })).not.toThrow();
      expect((await refusalOf(() => compiled.check({}))).errors?.[0]).toMatchObject({
        params: { missingProperty: name },
      });
      expect((await refusalOf(() => compiled.check({ [name]: 1 }))).errors?.[0]).toMatchObject({ keyword: 'type' });
      const pattern = await compile({ properties: { a: { enum: [name] } }, dependencies: { [name]: ['a'] } });
      expect((await refusalOf(() => pattern.check({ [name]: 1 }))).errors).toHaveLength(1);
    },
  );

  test('is judged the same each time, whatever came before', async () => {
    const schema = await compile({ properties: { a: { type: 'string' }, b: { pattern: 'x' } } });
    const first = await refusalOf(() => schema.check({ a: 1, b: 'y' }));
    expect(() => schema.check({ a: 'x', b: 'x' })).not.toThrow();
    expect(await refusalOf(() => schema.check({ a: 1, b: 'y' }))).toEqual(first);
  });
});

describe('the bounds of a user schema', () => {
  const schema = schemaLimits;
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
    [
      'Unicode properties',
      schema.pattern.properties,
      (size) => ({
        allOf: Array.from({ length: size / 100 }, (_, i) => ({ pattern: `${'\\p{Zs}'.repeat(100)}${i}` })),
        pattern: '\\p{Zs}'.repeat(size % 100),
      }),
      'Unicode properties',
    ],
  ];

  test.each(cases)('are those of schemaLimits: %s', async (_, most, sized, message) => {
    await expect(compile(sized(most))).resolves.toBeDefined();
    expect(await content(sized(most + 1))).toContain(message);
  });

  test('are those of schemaLimits: characters of code', async () => {
    const named = (characters: number) => ({
      properties: { ['n'.repeat(characters)]: { allOf: Array.from({ length: 100 }, () => ({ minimum: 1 })) } },
    });
    const fitting = schema.code / 400;
    await expect(compile(named(fitting))).resolves.toBeDefined();
    expect(await content(named(2 * fitting))).toBe('schema repeats long names too often');
  });

  test('are those of schemaLimits: milliseconds of a validation', async () => {
    const compiled = await compile({ properties: { list: { items: { minimum: 0 } } } });
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
    const most = Math.floor((schemaLimits.validation * schema.unitsPerMillisecond - none.spent()) / perItem);
    expect(steps(most).run).not.toThrow();
    const beyond = steps(most + 1);
    expect((await refusalOf(beyond.run)).detail).toBe('Schema validator error: validation took too long');
    // What came of it is told all the same: it is charged to the request.
    expect(beyond.spent()).toBeGreaterThan(schemaLimits.validation * schema.unitsPerMillisecond);
  });
});

describe('the content of a schema', () => {
  test('that is no schema is refused in the recorded wording', async () => {
    expect(await content({ type: 'nonsense' })).toBe(
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
  ])('%j is refused with a reason', async (schema, message) => {
    expect(await content(schema)).toContain(message);
  });

  test('may name draft-07, an id of its own, and formats and keywords nobody knows', async () => {
    for (const $schema of ['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft-07/schema']) {
      const $id = 'http://json-schema.org/draft-07/schema#';
      const schema = await compile({ $schema, $id, $async: true, format: 'nobody', unknown: {}, type: 'object' });
      expect(() => schema.check({})).not.toThrow();
    }
  });

  test('can use the name of the keyword that counts', async () => {
    const schema = { 'x-metered': 1, properties: { 'x-metered': { type: 'string' } }, additionalProperties: false };
    const compiled = await compile(schema);
    expect(() => compiled.check({ 'x-metered': 'a' })).not.toThrow();
    expect((await check(schema, { 'x-metered': 1 })).errors).toHaveLength(1);
  });

  test('is left as it was', async () => {
    const schema: JsonObject = {
      $id: 'a',
      properties: { a: { $ref: '#/definitions/a%20b' } },
      definitions: { 'a b': {} },
    };
    const before = structuredClone(schema);
    await compile(schema);
    expect(schema).toEqual(before);
  });
});
