import { Ajv, type ValidateFunction } from 'ajv';
import type { Bounds } from './bounds.js';
import { isObject, type Json } from './json.js';

const DRAFT_7 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;

const draft7Ajv = new Ajv({ allErrors: true, strict: false, logger: false, ownProperties: true });
const matchesMetaSchema = draft7Ajv.getSchema('http://json-schema.org/draft-07/schema') as ValidateFunction;

/**
 * Judges whether `schema` is a JSON Schema of draft-07 within the bounds.
 *
 * @throws Error with a text for the author of the schema
 */
export function judgeSchema(schema: Json, bounds: Bounds): void {
  refuseDeeper(schema, bounds.depth, bounds.depth);
  if (Buffer.byteLength(JSON.stringify(schema)) > bounds.bytes) {
    throw new Error(`schema is larger than ${bounds.bytes} bytes`);
  }
  const { $schema } = isObject(schema) ? schema : {};
  if (typeof $schema === 'string' && !DRAFT_7.test($schema)) {
    throw new Error(`no schema with key or ref "${$schema.slice(0, bounds.text)}"`);
  }
  if (matchesMetaSchema(schema)) return;
  const errors = (matchesMetaSchema.errors ?? []).slice(0, bounds.answered.errors);
  matchesMetaSchema.errors = null;
  throw new Error(`schema is invalid: ${draft7Ajv.errorsText(errors)}`);
}

function refuseDeeper(value: Json, levels: number, most: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (levels === 0) throw new Error(`schema nests deeper than ${most} levels`);
  for (const member of Object.values(value)) refuseDeeper(member, levels - 1, most);
}
