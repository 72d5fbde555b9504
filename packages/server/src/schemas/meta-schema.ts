import { isObject, type Json } from '@countersign/protocol';
import { Ajv, type ValidateFunction } from 'ajv';
import { limits } from '../limits.js';

const DRAFT_7 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;

const ajv = new Ajv({ allErrors: true, strict: false, logger: false, ownProperties: true });
const matches = ajv.getSchema('http://json-schema.org/draft-07/schema') as ValidateFunction;

/**
 * Judges whether `schema` is a JSON Schema of draft-07 within `limits.schema` (contract 02 §1.1).
 *
 * @throws Error with a text for the author of the schema, in the wording of the contract
 */
export function judgeSchema(schema: Json): void {
  refuseDeeper(schema, limits.schema.depth);
  if (Buffer.byteLength(JSON.stringify(schema)) > limits.schema.bytes) {
    throw new Error(`schema is larger than ${limits.schema.bytes} bytes`);
  }
  const { $schema } = isObject(schema) ? schema : {};
  if (typeof $schema === 'string' && !DRAFT_7.test($schema)) {
    throw new Error(`no schema with key or ref "${$schema.slice(0, limits.schema.text)}"`);
  }
  if (matches(schema)) return;
  const errors = (matches.errors ?? []).slice(0, limits.schema.answered.errors);
  matches.errors = null;
  throw new Error(`schema is invalid: ${ajv.errorsText(errors)}`);
}

function refuseDeeper(value: Json, levels: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (levels === 0) throw new Error(`schema nests deeper than ${limits.schema.depth} levels`);
  for (const member of Object.values(value)) refuseDeeper(member, levels - 1);
}
