import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../src/json.js';
import { compile, outcome, refusal } from './support.js';

const string = { type: 'string' };

function errors(schema: object, data: object) {
  return compile(schema).validate(data as JsonObject).errors;
}

describe('references', () => {
  test.each<[string, object]>([
    ['#/definitions/word', { definitions: { word: string } }],
    ['#/$defs/word', { $defs: { word: string } }],
    ['#/components/schemas/word', { components: { schemas: { word: string } } }],
    ['#/x%20y/a~1b~0c/0', { 'x y': { 'a/b~c': [string] } }],
    ['#/properties/b', {}],
  ])('%s is followed', (ref, rest) => {
    const schema = { ...rest, properties: { b: string, a: { $ref: ref } } };
    expect(outcome(compile(schema), { a: 'x' })).toBe('valid');
    expect(errors(schema, { a: 1 })).toMatchObject([{ instancePath: '/a', keyword: 'type' }]);
  });

  test('name the place of the error as the validator does', () => {
    const schema = { properties: { a: { $ref: '#/definitions/word' } }, definitions: { word: string } };
    expect(errors(schema, { a: 1 })).toMatchObject([{ schemaPath: '#/definitions/word/type' }]);
  });

  test('may be recursive where they go deeper', () => {
    const schema = { properties: { left: { $ref: '#' }, right: { $ref: '#/' } }, required: ['name'] };
    expect(errors(schema, { name: 1, left: { name: 1, right: {} } })).toMatchObject([{ instancePath: '/left/right' }]);
  });

  test.each([
    [{ $ref: '#' }],
    [{ allOf: [{ $ref: '#' }] }],
    [{ anyOf: [{}, { not: { $ref: '#/' } }] }],
    [{ if: { oneOf: [{ $ref: '#' }] } }],
    [{ dependencies: { a: { $ref: '#' } } }],
    [
      {
        $ref: '#/definitions/a',
        definitions: { a: { $ref: '#/definitions/b' }, b: { allOf: [{ $ref: '#/definitions/a' }] } },
      },
    ],
    [{ properties: { p: { $ref: '#/x/a' } }, x: { a: { anyOf: [{ $ref: '#/x/a' }] } } }],
  ])('%j goes round in circles and is refused', (schema) => {
    expect(refusal(schema)).toContain('back to itself without going deeper');
  });

  test.each([
    'http://json-schema.org/draft-07/schema#',
    'file:///etc/passwd',
    'other.json',
    '//host/a',
    '//properties/a',
    '#name',
    '#/definitions/missing',
    '#/definitions/constructor',
    '#/title',
    '#/required/0',
    '#/required/length',
    '#/%',
    '',
  ])('%s leads nowhere and is refused', ($ref) => {
    const schema = { title: 'x', required: ['a'], definitions: {}, properties: { a: { $ref } } };
    expect(refusal(schema)).toContain(`can't resolve reference ${$ref}`);
  });

  test.each([
    [{ properties: { a: { $ref: '#/properties' } } }],
    [{ enum: [{ type: 'string' }], properties: { a: { $ref: '#/enum/0' } } }],
    [{ const: { a: { b: {} } }, properties: { a: { $ref: '#/const/a/b' } } }],
    [{ x: { enum: [{ a: 1 }] }, properties: { a: { $ref: '#/x/enum/0' }, b: { $ref: '#/x' } } }],
    [{ x: { properties: { a: {} } }, properties: { a: { $ref: '#/x/properties' }, b: { $ref: '#/x' } } }],
  ])('%j takes names or data for a schema and is refused', (schema) => {
    expect(refusal(schema)).toContain('something that is not a schema');
  });

  test('find what they find judged by the meta-schema', () => {
    const schema = { properties: { a: { $ref: '#/x' } }, x: { type: 'nonsense' } };
    expect(refusal(schema)).toContain('data/type must be equal to one of the allowed values');
  });

  test('are resolved without regard to ids', () => {
    const definitions = { a: { $id: '#/properties/a', type: 'string' }, b: { $id: '#b' } };
    const schema = { $id: 'http://a/b', definitions, properties: { a: { $ref: '#/definitions/a' } } };
    expect(errors(schema, { a: 1 })).toHaveLength(1);
    expect(refusal({ definitions: { a: { $id: 'http://x/y' } } })).toContain(
      'nested $id "http://x/y" is not supported',
    );
    const x = { $id: 'http://x/y', z: { properties: { b: { $ref: '#/definitions/c' } } } };
    expect(
      errors({ x, definitions: { c: string }, properties: { a: { $ref: '#/x/z' } } }, { a: { b: 1 } }),
    ).toHaveLength(1);
  });

  test('of one schema never find another with the same id', () => {
    compile({ $id: 'http://other/secret', definitions: { a: { const: 'secret' } } });
    expect(refusal({ $ref: 'http://other/secret#/definitions/a' })).toContain("can't resolve reference");
    expect(outcome(compile({ $id: 'http://other/secret', type: 'object' }), {})).toBe('valid');
  });
});
