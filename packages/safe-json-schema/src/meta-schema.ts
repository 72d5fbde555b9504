import { Ajv, type ValidateFunction } from 'ajv';
import type { Bounds } from './bounds.js';
import { uniqueItemsKeyword } from './equality.js';
import { countValues, isObject, type Json } from './json.js';

const DRAFT_7 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;

/** Compiled at first use: that takes a fifth of what a process takes to start, and few processes judge schemas. */
const draft7 = (allErrors: boolean): (() => ValidateFunction) => {
  let compiled: ValidateFunction | undefined;
  return () => {
    compiled ??= compileDraft7(allErrors);
    return compiled;
  };
};

function compileDraft7(allErrors: boolean): ValidateFunction {
  const ajv = new Ajv({ allErrors, strict: false, logger: false, ownProperties: true });
  // The validator's own compares each value of an `enum` with each other.
  ajv.removeKeyword('uniqueItems').addKeyword(uniqueItemsKeyword());
  return ajv.getSchema('http://json-schema.org/draft-07/schema') as ValidateFunction;
}

const getMatcher = draft7(false);
const getGatherer = draft7(true);

/** Values of a schema up to which all its errors are gathered, in time quadratic in their number; else the first alone. */
const GATHERED = 2_000;

/**
 * Judges whether `schema` is a JSON Schema of draft-07 within the bounds.
 *
 * @throws Error with a text for the author of the schema
 */
export function judgeSchema(schema: Json, bounds: Bounds): void {
  assertDepth(schema, bounds.depth);
  if (Buffer.byteLength(JSON.stringify(schema)) > bounds.bytes) {
    throw new Error(`schema is larger than ${bounds.bytes} bytes`);
  }
  const { $schema } = isObject(schema) ? schema : {};
  if (typeof $schema === 'string' && !DRAFT_7.test($schema)) {
    throw new Error(`no schema with key or ref "${$schema.slice(0, bounds.text)}"`);
  }
  const matches = getMatcher();
  if (matches(schema)) return;
  const judge = countValues(schema) <= GATHERED ? getGatherer() : matches;
  judge(schema);
  const errors = (judge.errors ?? []).slice(0, bounds.answered.errors);
  matches.errors = null;
  judge.errors = null;
  const texts = errors.map(({ instancePath, message }) => `data${instancePath} ${message}`);
  throw new Error(`schema is invalid: ${texts.join(', ')}`);
}

/** @throws Error when arrays and objects nest deeper than `most` levels */
export function assertDepth(value: Json, most: number, levels = most): void {
  if (typeof value !== 'object' || value === null) return;
  if (levels === 0) throw new Error(`schema nests deeper than ${most} levels`);
  for (const member of Object.values(value)) assertDepth(member, most, levels - 1);
}
