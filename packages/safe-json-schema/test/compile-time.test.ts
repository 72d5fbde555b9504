import { describe, expect, test } from 'vitest';
import { compileInSlices, SchemaError } from '../src/index.js';
import type { JsonObject } from '../src/json.js';
import { bounds, compile, distinct, effort, members, outcome, refusal } from './support.js';

/** Far above what anything here takes, so that a busy machine does not fail it. */
const SOON = 1_000;

const texts = (count: number) => Array.from({ length: count }, (_, i) => i.toString(36));

/** As many optional characters, each another one. */
const optional = (count: number, end: string) =>
  `^${distinct(count)
    .map((one) => `${one}?`)
    .join('')}${end}$`;

/** The steps of each slice that a schema is compiled in. */
async function slicesOf(schema: JsonObject): Promise<number[]> {
  const slices: number[] = [];
  await compileInSlices(schema, bounds, async (steps) => void slices.push(steps));
  return slices;
}

describe('a schema is compiled soon', () => {
  const classes = (i: number) => ({ pattern: `[^${'\\p{L}'.repeat(180)}]{90}a${i}` });
  const outside = (i: number) => ({ pattern: `^${'\\p{L}'.repeat(180)}a${i}$` });
  const repeated = (e: object) => ({
    definitions: { e },
    properties: members(70, () => ({ $ref: '#/definitions/e' })),
  });
  const nested = (name: string) => ({
    properties: { [name]: { allOf: Array(145).fill({ minimum: 1, maxLength: 2 }) } },
  });

  test.each<[string, number, object, JsonObject]>([
    ['classes of Unicode properties', 1, { properties: members(52, classes) }, {}],
    ['Unicode properties outside classes', 5, { properties: members(52, outside) }, {}],
    ['characters that may each be left out', 1, { allOf: texts(9).map((i) => ({ pattern: optional(480, i) })) }, {}],
    ['values of an enumeration', 10, { enum: Array.from({ length: 8_000 }, (_, i) => [i]) }, {}],
    ['values that references repeat', 5, repeated({ enum: texts(5_000).map((i) => ({ i })) }), { p0: 1 }],
    ['types of other names', 10, { type: texts(9_000) }, {}],
    ['schemas of other types', 5, { allOf: Array(20_000).fill(1) }, {}],
    ['a long name above many keywords', 2, nested('é'.repeat(25_000)), { ['é'.repeat(25_000)]: 0 }],
    ['required names that references repeat', 10, repeated({ required: texts(55) }), { p0: {} }],
  ])('whatever it has of %s', (_, times, schema, data) => {
    const run = () => {
      for (let i = 0; i < times; i++) effort(() => compile(schema).validate(data));
    };
    expect(effort(run)).toBeLessThan(SOON);
  });

  test('once more for its errors, and the validation says what that took', () => {
    const schema = compile({ properties: members(190, () => ({ type: 'string', minLength: 1, maxLength: 9 })) });
    const data = members(190, () => 1);
    const first = schema.validate(data).steps;
    const again = schema.validate(data).steps;
    expect(first - again).toBeGreaterThan(190 * 3 * 100);
    expect(schema.validate(data).steps).toBe(again);
  });
});

describe('in slices', () => {
  test('that are about as long as they are said to be: one for all but patterns', async () => {
    const [read, compiled, ...more] = await slicesOf({ properties: members(100, () => ({ minimum: 1 })) });
    expect(more).toEqual([]);
    expect(read).toBeGreaterThan(10_000);
    expect(compiled).toBeGreaterThan(100 * 1_000);
  });

  test('two for each pattern, by what it holds', async () => {
    const taken = async (pattern: string) => (await slicesOf({ pattern })).reduce((sum, steps) => sum + steps);
    const plain = await taken('^[a-z]{1,100}$');
    expect(await slicesOf({ allOf: [{ pattern: 'a' }, { patternProperties: { b: {} } }] })).toHaveLength(2 + 2 * 2);
    expect((await taken('^\\p{L}{1,100}$')) - plain).toBeGreaterThan(30_000);
    expect((await taken(`[${'\\p{L}'.repeat(100)}]`)) - plain).toBeGreaterThan(200_000);
    expect((await taken('\\p{L}{999}')) - plain).toBeGreaterThan(100_000);
  });

  test('between which the work may end', async () => {
    const over = new Error('over');
    const turn = () => Promise.reject(over);
    await expect(compileInSlices({ pattern: 'a' }, bounds, turn)).rejects.toBe(over);
  });

  test('with the same result', async () => {
    const schema = { properties: { a: { pattern: '^a' } } };
    const compiled = await compileInSlices(schema, bounds, () => undefined);
    expect(outcome(compiled, { a: 'b' })).toBe('invalid');
    expect(compiled.weight).toBe(compile(schema).weight);
    await expect(compileInSlices({ pattern: '(?=a)' }, bounds, () => undefined)).rejects.toBeInstanceOf(SchemaError);
  });

  test('of the patterns that may run: the others are left alone', async () => {
    const unused = { definitions: { a: { pattern: '(?=a)' } } };
    expect(await slicesOf(unused)).toHaveLength(2);
    expect(refusal({ ...unused, $ref: '#/definitions/a' })).toContain('look-around');
  });
});

describe('what a schema compiles to is bounded', () => {
  test('in Unicode properties, however often the pattern repeats them', () => {
    const { properties } = bounds.pattern;
    const most = texts(properties / 100).map((i) => ({ pattern: `^(?:${'\\p{Zs}'.repeat(100)}){9}${i}$` }));
    expect(() => compile({ allOf: most })).not.toThrow();
    expect(refusal({ allOf: [...most, { pattern: '\\P{L}' }] })).toContain(
      `more than ${properties} Unicode properties`,
    );
    expect(() => compile({ allOf: [...most, { pattern: '\\\\p' }] })).not.toThrow();
  });

  test('in characters of code, to which each keyword adds the names above it', () => {
    const named = (characters: number) => ({
      properties: { ['n'.repeat(characters)]: { allOf: Array(100).fill({ minimum: 1 }) } },
    });
    expect(() => compile(named(4_000))).not.toThrow();
    expect(refusal(named(8_000))).toBe('schema repeats long names too often');
    expect(
      refusal({ properties: members(70, () => ({ $ref: '#/definitions/e' })), definitions: { e: named(200) } }),
    ).toContain('subschemas');
    const one = { properties: { ['n'.repeat(8_000)]: { minimum: 1 } } };
    expect(() => compile({ definitions: { one }, $ref: '#/definitions/one' })).not.toThrow();
    expect(refusal({ definitions: { one }, items: Array(70).fill({ $ref: '#/definitions/one' }) })).toContain(
      'long names',
    );
  });
});

describe('nothing ordinary is refused', () => {
  const named = '[\\p{L}\\p{M}\\p{N}\\p{P}\\p{Zs}]';

  test.each<[string, object, object]>([
    [
      'names of people, each as long as its field',
      { properties: members(30, (i) => ({ type: 'string', pattern: `^${named}{1,${20 + 5 * i}}$` })) },
      members(30, (i) => 'Zoë '.repeat(5 + i)),
    ],
    [
      'long texts of letters',
      { properties: { list: { items: { pattern: '^[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Z}]{1,490}$' } } } },
      { list: Array(100).fill('Grüße, Łódź! '.repeat(35)) },
    ],
    [
      'long paths of names beyond ASCII',
      {
        properties: {
          'Персональные данные клиента': {
            properties: {
              'Адрес регистрации': {
                properties: members(90, () => ({ type: 'string', minLength: 1, maxLength: 200 })),
              },
            },
          },
        },
      },
      { 'Персональные данные клиента': { 'Адрес регистрации': members(90, () => 'x') } },
    ],
  ])('%s', (_, schema, data) => {
    expect(outcome(compile(schema), data)).toBe('valid');
  });
});
