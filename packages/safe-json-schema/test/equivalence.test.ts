import { Ajv, type Format } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObject, type JsonObject } from '../src/json.js';
import { compile } from './support.js';

/** Schemas of every keyword, over a few names so that they meet the data, with references to three definitions. */
const name = fc.constantFrom('a', 'b', 'toJSON', 'x/y', 'é');
const small = fc.integer({ min: 0, max: 3 });
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, 0, 1, 2.5, '', 'a', 'abc', '2020-01-01'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
})).value;

const plain = fc.oneof(
  fc.record({ type: fc.constantFrom('string', 'number', 'integer', 'object', 'array', 'null', 'boolean') }),
  fc.record({ type: fc.constant(['string', 'null']), nullable: fc.constant(true) }),
  fc.record({
    enum: fc.uniqueArray(value, {
      minLength: 1,
      maxLength: 3,
      comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b),
    }),
  }),
  fc.record({ const: value }),
  fc.record({ minimum: small, exclusiveMaximum: small, multipleOf: fc.constantFrom(1, 0.5) }, { requiredKeys: [] }),
  fc.record({ minLength: small, maxLength: small, pattern: fc.constantFrom('^a', 'b', '^$') }, { requiredKeys: [] }),
  fc.record({ format: fc.constantFrom('date', 'email', 'nothing') }),
  fc.record({ minItems: small, maxItems: small, uniqueItems: fc.boolean() }, { requiredKeys: [] }),
  fc.record(
    { required: fc.uniqueArray(name, { maxLength: 2 }), minProperties: small, maxProperties: small },
    { requiredKeys: [] },
  ),
  fc.constantFrom<unknown>({}, true, false, { description: 'anything' }),
);

const schema = fc.letrec<{ schema: unknown; list: unknown[]; deeper: unknown }>((tie) => ({
  list: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
  // What judges a part of the value may refer to anything without going round in circles.
  deeper: fc.oneof(
    tie('schema'),
    fc.constantFrom('#', '#/definitions/a', '#/definitions/b').map(($ref) => ({ $ref })),
  ),
  schema: fc.oneof(
    { maxDepth: 4 },
    plain,
    fc.constantFrom({ $ref: '#/definitions/leaf' }, { $ref: '#/definitions/leaf', minLength: 2 }),
    fc.record({
      properties: fc.dictionary(name, tie('deeper'), { maxKeys: 3 }),
      required: fc.uniqueArray(name, { maxLength: 2 }),
    }),
    fc.record(
      {
        properties: fc.dictionary(name, tie('deeper'), { maxKeys: 2 }),
        additionalProperties: tie('deeper'),
        patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), tie('deeper'), { maxKeys: 2 }),
        propertyNames: plain,
      },
      { requiredKeys: [] },
    ),
    fc.record({ items: tie('deeper'), contains: tie('deeper') }, { requiredKeys: [] }),
    fc.record({ items: tie('list'), additionalItems: tie('deeper') }),
    fc.record({ allOf: tie('list'), anyOf: tie('list'), oneOf: tie('list'), not: tie('schema') }, { requiredKeys: [] }),
    fc
      .tuple(tie('schema'), tie('schema'), tie('schema'))
      .map((parts) => Object.fromEntries(['if', 'then', 'else'].map((keyword, i) => [keyword, parts[i]]))),
    fc.record({
      dependencies: fc.dictionary(name, fc.oneof(tie('schema'), fc.uniqueArray(name, { maxLength: 2 })), {
        maxKeys: 2,
      }),
    }),
  ),
})).schema;

/** As it would arrive: with the prototype that parsed objects have. */
function asParsed(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value));
}

/** The path of an error names the last of several references here, and the first in the validator by itself. */
function holdsNoReference(schema: unknown): boolean {
  return !isObject(schema) || !Object.hasOwn(schema as object, '$ref');
}

const document = fc
  .record({ root: schema, a: schema.filter(holdsNoReference), b: schema.filter(holdsNoReference), leaf: plain })
  .map(({ root, a, b, leaf }) => asParsed({ properties: { a: root }, definitions: { a, b, leaf } }));

test('a schema judges as the validator by itself does, with the same errors', () => {
  let refused = 0;
  fc.assert(
    fc.property(
      document,
      fc.array(fc.dictionary(name, value, { maxKeys: 3 }), { minLength: 3, maxLength: 3 }),
      (schema, all) => {
        const options = { allErrors: true, strict: false, logger: false, ownProperties: true } as const;
        const validate = new Ajv({ ...options, formats: fullFormats as Record<string, Format> }).compile(schema);
        const ours = compile(schema);
        for (const data of all.map(asParsed)) {
          const { outcome, errors } = ours.validate(data);
          if (validate(data)) {
            expect(outcome).toBe('valid');
          } else {
            refused += 1;
            expect(outcome).toBe('invalid');
            // An error has five members and no more.
            const expected = (validate.errors ?? []).map(({ propertyName: _, ...error }) => error);
            expect(errors).toEqual(asParsed(expected));
          }
        }
      },
    ),
    { numRuns: process.env.LONG_TESTS ? 1_000 : 30 },
  );
  expect(refused).toBeGreaterThan(3);
});
