import { HANDLE_PATTERN, isObject, type Json, LedgerError } from '@countersign/protocol';
import { shortenError, type ValidationError } from '@countersign/safe-json-schema';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { defined } from '../base/defined.js';
import { type ToldError, tellIntended } from './intended-errors.js';
import { schemaLimits } from './schema-limits.js';
import { SECRET_HINT, SECRET_PATTERN } from './secret-reference.js';
import { listSharedSchemas } from './shared-schemas.js';

/**
 * An error of a request: the specification's five members, and the two of the recorded form
 * (interface/errors#schema-errors).
 */
type RequestError = ValidationError & { path: string; errorCode: string };

/**
 * `allErrors` stays off: each alternative of a `oneOf` or `anyOf` then gives its first error, which is what the
 * interface's fixed lists of errors are made of (interface/errors#schema-errors).
 */
const ajv = new Ajv2020({ strict: false, ownProperties: true, inlineRefs: false });

const NOT_OBJECT: ErrorObject = {
  instancePath: '',
  schemaPath: '#/type',
  keyword: 'type',
  params: { type: 'object' },
  message: 'must be object',
};

/** What there is no JSON of: no body, or one of another content type. */
export const NO_JSON: ErrorObject = {
  ...NOT_OBJECT,
  message: 'must be object, sent as JSON with content-type: application/json',
};

/**
 * Checks request bodies by a schema, which is compiled at first use. The returned function takes the parsed body (undefined
 * when it is missing) and throws `record.schema-invalid` in the wording of interface/errors#schema-errors on a mismatch.
 */
export function makeRequestCheck(schema: TSchema): (body: unknown) => void {
  let compiled: ValidateFunction | undefined;
  return (body) => {
    if (!isObject(body)) throw requestSchemaError([body === undefined ? NO_JSON : NOT_OBJECT], schema, body);
    compiled ??= compile(schema);
    const validate = compiled;
    if (!validate(body)) throw requestSchemaError(validate.errors ?? [], schema, body);
  };
}

function compile(schema: TSchema): ValidateFunction {
  for (const part of listSharedSchemas()) if (!ajv.getSchema(part.$id)) ajv.addSchema(part);
  return ajv.compile(schema);
}

function requestSchemaError(found: readonly ErrorObject[], schema: TSchema, body: unknown): LedgerError {
  const errors = found.map(requestError);
  const told = tellIntended(errors, schema, body);
  const texts = told.map((error) => `request/body${error.instancePath} ${wordingOf(error)}`);
  const hint = found.some(({ params }) => params.pattern === SECRET_PATTERN) ? SECRET_HINT : undefined;
  return new LedgerError('record.schema-invalid', `Schema validation error: ${texts.join(', ')}`, {
    errors,
    ...defined({ hint }),
  });
}

/** The pattern of handles is 90 characters that tell nobody what a handle is. */
function wordingOf({ message, params }: ToldError): string {
  if (params?.pattern !== HANDLE_PATTERN) return message;
  return 'must be a handle: letters, digits, _, -, + and ., such as shop, user@acme or tel:123@acme';
}

function requestError(found: ErrorObject): RequestError {
  const error = listAllowedValues(shortenError(found, schemaLimits.text));
  return {
    ...error,
    path: `/body${error.instancePath}${formatMemberPath(error)}`,
    errorCode: `${error.keyword}.openapi.validation`,
  };
}

/** Says which values are allowed; a `const` is an enumeration of one (interface/errors#schema-errors). */
function listAllowedValues(error: ValidationError): ValidationError {
  const { allowedValue, allowedValues = [allowedValue ?? null] } = error.params;
  if (error.keyword !== 'enum' && error.keyword !== 'const') return error;
  return {
    ...error,
    schemaPath: error.schemaPath.replace(/const$/, 'enum'),
    keyword: 'enum',
    params: { allowedValues },
    message: `must be equal to one of the allowed values: ${(allowedValues as Json[]).map(formatValue).join(', ')}`,
  };
}

function formatValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The member that `path` ends with where the error is reported at the object around it. */
function formatMemberPath({ keyword, params }: ValidationError): string {
  if (keyword === 'required') return `/${params.missingProperty}`;
  if (keyword === 'additionalProperties') return `/${params.additionalProperty}`;
  return '';
}
