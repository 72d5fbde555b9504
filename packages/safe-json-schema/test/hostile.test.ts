import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../src/json.js';
import { data as admitted, bits, bounds, compile, effort, members, outcome, refusal } from './support.js';

/** Far above what anything here takes, so that a busy machine does not fail it; without bounds it would be minutes. */
const SOON = 3_000;

function nested(levels: number, wrap: (inside: JsonObject) => JsonObject, inside: JsonObject = {}): JsonObject {
  return levels === 0 ? inside : nested(levels - 1, wrap, wrap(inside));
}

describe('a schema is bounded', () => {
  test('in bytes', () => {
    const sized = (bytes: number) => ({ title: 'é'.repeat((bytes - 12) / 2) });
    expect(Buffer.byteLength(JSON.stringify(sized(bounds.bytes)))).toBe(bounds.bytes);
    expect(() => compile(sized(bounds.bytes))).not.toThrow();
    expect(refusal(sized(bounds.bytes + 2))).toContain(`larger than ${bounds.bytes} bytes`);
  });

  test('in depth', () => {
    const deep = (levels: number) => nested(levels - 1, (inside) => ({ not: inside }));
    expect(() => compile(deep(bounds.depth))).not.toThrow();
    expect(refusal(deep(bounds.depth + 1))).toContain(`deeper than ${bounds.depth} levels`);
    expect(refusal(deep(5_000))).toContain(`deeper than ${bounds.depth} levels`);
  });

  test('in subschemas, those written out for references included', () => {
    const most = bounds.subschemas;
    expect(() => compile({ allOf: Array(most - 1).fill({ minimum: 1 }) })).not.toThrow();
    expect(refusal({ allOf: Array(most).fill({ minimum: 1 }) })).toContain(`more than ${most} subschemas`);
    expect(refusal({ items: Array(most).fill(false) })).toContain(`more than ${most} subschemas`);
    expect(refusal({ dependencies: { a: Array.from({ length: most }, (_, i) => `${i}`) } })).toContain(
      `more than ${most} subschemas`,
    );

    // A definition of 9 and the root; each reference is one, and writes out 9.
    const definitions = { a: { allOf: Array(8).fill({ minimum: 1 }) } };
    const refs = (count: number) => ({ definitions, items: Array(count).fill({ $ref: '#/definitions/a' }) });
    expect(() => compile(refs((most - 10) / 10))).not.toThrow();
    expect(refusal(refs((most - 10) / 10 + 1))).toContain(`more than ${most} subschemas`);
  });

  test('in keywords, those written out for references included', () => {
    const most = bounds.keywords;
    const four = { minimum: 1, maximum: 2, minLength: 1, maxLength: 2 };
    const sized = (count: number) => ({
      properties: members(count, () => four),
      title: 't',
      type: 'object',
      $comment: '',
    });
    expect(() => compile(sized((most - 4) / 4))).not.toThrow();
    expect(refusal({ ...sized((most - 4) / 4), default: 1 })).toContain(`more than ${most} keywords`);
    expect(refusal({ required: Array.from({ length: 8 * most }, (_, i) => `${i}`) })).toContain('keywords');
    const refs = { definitions: { a: four }, items: Array(140).fill({ $ref: '#/definitions/a' }) };
    expect(refusal(refs)).toContain(`more than ${most} keywords`);
  });

  test('in the time to compile it', () => {
    const largest = { properties: members(198, () => ({ type: 'string', minLength: 1, maxLength: 9 })) };
    expect(effort(() => compile(largest))).toBeLessThan(SOON);
    const keywords = { minimum: 1, maximum: 2, multipleOf: 3, minLength: 1, minItems: 1, maxItems: 2 };
    expect(effort(() => compile({ properties: members(98, () => keywords) }))).toBeLessThan(SOON);
    const enums = { properties: members(80, () => ({ enum: Array.from({ length: 190 }, (_, i) => i) })) };
    expect(effort(() => compile(enums))).toBeLessThan(SOON);
  });

  test('in chains of references', () => {
    const chain = (length: number): JsonObject => ({
      $ref: '#/definitions/p0',
      definitions: members<JsonObject>(length, (i) =>
        i === length - 1 ? { type: 'object' } : { $ref: `#/definitions/p${i + 1}` },
      ),
    });
    expect(outcome(compile(chain(30)), {})).toBe('valid');
    expect(effort(() => compile(chain(290)))).toBeLessThan(SOON);
  });
});

describe('judging is bounded', () => {
  const fanOut: JsonObject = {
    $ref: '#/definitions/p0',
    definitions: members<JsonObject>(40, (i) =>
      i === 39 ? { type: 'object' } : { allOf: Array(2).fill({ $ref: `#/definitions/p${i + 1}` }) },
    ),
  };
  const doubling = (keyword: string): JsonObject => ({
    [keyword]: Array(2).fill({ properties: { n: { $ref: '#' } } }),
  });
  const failing = { type: 'object', anyOf: Array(2).fill({ properties: { n: { $ref: '#' } }, required: ['n'] }) };
  const deep = nested(admitted.depth - 1, (n) => ({ n }));
  const many = Array(admitted.values - 10).fill(1);

  const hostile: [string, JsonObject, JsonObject][] = [
    ['references that double at each step', fanOut, {}],
    ['allOf that doubles at each level of the data', doubling('allOf'), deep],
    ['oneOf that doubles at each level of the data', doubling('oneOf'), deep],
    ['errors that double at each level of the data', failing, deep],
    [
      'many alternatives for many items',
      { properties: { a: { items: { anyOf: [...Array(290).fill({ type: 'string' }), { minimum: 0 }] } } } },
      { a: many },
    ],
    [
      'nested contains',
      { properties: { a: { contains: { not: { allOf: Array(90).fill({ minimum: 0 }) } } } } },
      { a: many },
    ],
    [
      'many patterns for many names',
      { patternProperties: Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`x${i}`, false])) },
      members(20_000, () => 1),
    ],
    [
      'a pattern that builds states without end',
      { properties: { a: { pattern: '^[01]*1[01]{90}x?$' } } },
      { a: `${bits(500_000)}y` },
    ],
    [
      'quadratic formats',
      { properties: { a: { items: { not: { format: 'url' } } } } },
      { a: Array(400).fill(`http://${':'.repeat(2_000)}`) },
    ],
    [
      'slow formats',
      { properties: { a: { items: { not: { format: 'timezone' } } } } },
      { a: Array(20_000).fill('Nowhere') },
    ],
    [
      'a name that every error spells out',
      { additionalProperties: { type: 'string' } },
      { ['n'.repeat(bounds.name + 1)]: 1 },
    ],
  ];

  test.each(hostile)('%s', (_, schema, data) => {
    const compiled = compile(schema);
    expect(effort(() => compiled.validate(data))).toBeLessThan(SOON);
    expect(compiled.validate(data)).toMatchObject({ outcome: 'exhausted', errors: [] });
    // The next value is judged as if nothing had been.
    if (schema !== fanOut) expect(outcome(compiled, {})).not.toBe('exhausted');
  });

  test('and enough for large data', () => {
    const item = {
      type: 'object',
      properties: { id: { pattern: '^[0-9a-f]{8}$' }, amount: { type: 'integer', minimum: 0 } },
      required: ['id'],
    };
    const schema = compile({ properties: { list: { type: 'array', items: item, uniqueItems: true } } });
    const list = Array.from({ length: 15_000 }, (_, i) => ({ id: i.toString(16).padStart(8, '0'), amount: i }));
    expect(outcome(schema, { list })).toBe('valid');
    const { errors } = schema.validate({ list: [...list, {}] });
    expect(errors).toMatchObject([{ instancePath: '/list/15000', message: "must have required property 'id'" }]);
  });

  test.each([
    ['uniqueItems', { properties: { a: { uniqueItems: true } } }, { a: Array.from({ length: 49_000 }, (_, i) => i) }],
    [
      'uniqueItems of objects',
      { properties: { a: { uniqueItems: true } } },
      { a: Array.from({ length: 24_000 }, (_, i) => ({ i })) },
    ],
    [
      'a giant enum',
      { properties: { a: { items: { enum: Array.from({ length: 9_000 }, (_, i) => i) } } } },
      { a: Array(49_000).fill(8_999) },
    ],
    [
      'a long text against a simple pattern',
      { properties: { a: { pattern: '\\S' } } },
      { a: `${' '.repeat(1_000_000)}x` },
    ],
    ['a long text of a format', { properties: { a: { format: 'json-pointer' } } }, { a: '/a'.repeat(500_000) }],
    ['a long name', { additionalProperties: { type: 'integer' } }, { ['n'.repeat(bounds.name)]: 1 }],
    ['a stack of recursion', { properties: { n: { $ref: '#' } } }, deep],
  ] as [string, JsonObject, JsonObject][])('%s is judged soon', (_, schema, data) => {
    const compiled = compile(schema);
    expect(outcome(compiled, data)).toBe('valid');
    expect(effort(() => compiled.validate(data))).toBeLessThan(SOON);
  });

  test('when the call stack ends', () => {
    const chain = members<JsonObject>(60, (i) => ({ $ref: i === 59 ? '#/step' : `#/definitions/p${i + 1}` }));
    const schema = compile({
      $ref: '#/definitions/p0',
      definitions: chain,
      step: { properties: { n: { $ref: '#' } } },
    });
    expect(
      outcome(
        schema,
        nested(5_000, (n) => ({ n })),
      ),
    ).toBe('exhausted');
    expect(outcome(schema, { n: {} })).toBe('valid');
  });
});
