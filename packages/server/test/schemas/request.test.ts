import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { makeRequestCheck } from '../../src/schemas/request.js';
import { schemaLimits } from '../../src/schemas/schema-limits.js';
import { refusal } from './support.js';

const closed = { additionalProperties: false };
const address = Type.Object({ handle: Type.String() }, closed);
const secretPattern = '^\\{\\{ secret\\.[A-Za-z]+[A-Za-z0-9]* \\}\\}$';

/** The check of a body whose `data` has this schema. */
function dataCheck(data: Parameters<typeof makeRequestCheck>[0]) {
  return makeRequestCheck(Type.Object({ data }));
}

function short(run: () => void) {
  const { reason, detail, errors } = refusal(run);
  expect(reason).toBe('record.schema-invalid');
  expect(detail.startsWith('Schema validation error: ')).toBe(true);
  return {
    detail: detail.slice('Schema validation error: '.length),
    paths: errors?.map(({ path, keyword }) => `${path} ${keyword}`),
  };
}

describe('a request body', () => {
  test('that matches passes', () => {
    expect(() => dataCheck(address)({ data: { handle: 'a' } })).not.toThrow();
  });

  test('without a required member names it in the path, with the members of both forms', () => {
    expect(refusal(() => dataCheck(address)({ data: {} }))).toEqual({
      reason: 'record.schema-invalid',
      detail: "Schema validation error: request/body/data must have required property 'handle'",
      message: undefined,
      errors: [
        {
          instancePath: '/data',
          schemaPath: '#/properties/data/required',
          keyword: 'required',
          params: { missingProperty: 'handle' },
          message: "must have required property 'handle'",
          path: '/body/data/handle',
          errorCode: 'required.openapi.validation',
        },
      ],
    });
  });

  test.each([undefined, null, [], 'text', 1])('%j is not an object', (body) => {
    const sent = ', sent as JSON with content-type: application/json';
    expect(short(() => dataCheck(address)(body))).toEqual({
      detail: `request/body must be object${body === undefined ? sent : ''}`,
      paths: ['/body type'],
    });
  });

  test('with an additional member names it in the path', () => {
    expect(short(() => dataCheck(address)({ data: { handle: 'a', ca: 1 } }))).toEqual({
      detail: 'request/body/data must NOT have additional properties',
      paths: ['/body/data/ca additionalProperties'],
    });
  });

  test('with an unevaluated member names the object around it', () => {
    const domain = Type.Object({ handle: Type.String() }, { unevaluatedProperties: false });
    expect(short(() => dataCheck(domain)({ data: { handle: 'a', x: 1 } }))).toEqual({
      detail: 'request/body/data must NOT have unevaluated properties',
      paths: ['/body/data unevaluatedProperties'],
    });
  });

  test('with a value that is not allowed lists those that are', () => {
    const format = Type.Object({ format: Type.Enum(['json-schema', 'other']) });
    expect(short(() => dataCheck(format)({ data: { format: 'x' } }))).toEqual({
      detail: 'request/body/data/format must be equal to one of the allowed values: json-schema, other',
      paths: ['/body/data/format enum'],
    });
  });

  test('with another value than the only one reports an enumeration of one', () => {
    const schema = Type.Object({ schema: Type.Literal('oauth-client-credentials') });
    const { detail, errors } = refusal(() => dataCheck(schema)({ data: { schema: 'key-pair' } }));
    const message = 'must be equal to one of the allowed values: oauth-client-credentials';
    expect(detail).toBe(`Schema validation error: request/body/data/schema ${message}`);
    expect(errors).toMatchObject([
      {
        schemaPath: '#/properties/data/properties/schema/enum',
        keyword: 'enum',
        params: { allowedValues: ['oauth-client-credentials'] },
        errorCode: 'enum.openapi.validation',
      },
    ]);
  });

  test('that matches no alternative has the first error of each, and then the line of the alternatives', () => {
    const oauth2 = Type.Object({ clientId: Type.String() }, closed);
    const header = Type.Object({ key: Type.String(), value: Type.String({ pattern: secretPattern }) }, closed);
    const generic = Type.Object({ public: Type.String() }, closed);
    const secure = Type.Object({ secure: Type.Array(Type.Unsafe({ oneOf: [oauth2, header, generic] })) });
    expect(short(() => dataCheck(secure)({ data: { secure: [{ key: 'k', value: 'plain' }] } }))).toEqual({
      detail:
        "request/body/data/secure/0 must have required property 'clientId', " +
        `request/body/data/secure/0/value must match pattern "${secretPattern}", ` +
        "request/body/data/secure/0 must have required property 'public', " +
        'request/body/data/secure/0 must match exactly one schema in oneOf',
      paths: [
        '/body/data/secure/0/clientId required',
        '/body/data/secure/0/value pattern',
        '/body/data/secure/0/public required',
        '/body/data/secure/0 oneOf',
      ],
    });
  });

  test('with a claim of amount 0 has the recorded list', () => {
    const amount = Type.Integer({ exclusiveMinimum: 0 });
    const issue = Type.Object({ amount, target: address }, closed);
    const transfer = Type.Object({ amount: Type.Integer(), source: address, target: address }, closed);
    const destroy = Type.Object({ source: address, amount: Type.Integer() }, closed);
    const limit = Type.Object({ wallet: address, amount: Type.Integer() }, closed);
    const claims = Type.Object({ claims: Type.Array(Type.Unsafe({ oneOf: [issue, transfer, destroy, limit] })) });
    const claim = { amount: 0, target: { handle: 'a' } };
    expect(short(() => dataCheck(claims)({ data: { claims: [claim] } })).detail).toBe(
      'request/body/data/claims/0/amount must be > 0, ' +
        "request/body/data/claims/0 must have required property 'source', " +
        "request/body/data/claims/0 must have required property 'source', " +
        "request/body/data/claims/0 must have required property 'wallet', " +
        'request/body/data/claims/0 must match exactly one schema in oneOf',
    );
  });

  test('with an action that is a list has both errors of the string and those of the objects', () => {
    const strings = { type: 'string', enum: ['read', 'create'] };
    const operator = { type: 'object', required: ['$in'] };
    const action = Type.Unsafe({ oneOf: [strings, operator] });
    expect(short(() => dataCheck(Type.Object({ action }))({ data: { action: ['read'] } })).detail).toBe(
      'request/body/data/action must be string, ' +
        'request/body/data/action must be equal to one of the allowed values: read, create, ' +
        'request/body/data/action must be object, ' +
        'request/body/data/action must match exactly one schema in oneOf',
    );
  });

  test('cannot make up for required members with those every object inherits', () => {
    const odd = Type.Object({ toString: Type.Optional(Type.String()), constructor: Type.String() });
    expect(short(() => dataCheck(odd)({ data: {} })).paths).toEqual(['/body/data/constructor required']);
    expect(() => dataCheck(odd)({ data: { constructor: 'x' } })).not.toThrow();
  });

  test('has long names cut in its errors', () => {
    const name = (length: number) => ({ data: { handle: 'a', ['n'.repeat(length)]: 1 } });
    const { text } = schemaLimits;
    expect(refusal(() => dataCheck(address)(name(text))).errors?.[0]?.path).toBe(`/body/data/${'n'.repeat(text)}`);
    expect(refusal(() => dataCheck(address)(name(text + 1))).errors?.[0]?.path).toBe(`/body/data/${'n'.repeat(text)}…`);
  });
});
