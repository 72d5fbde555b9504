import { isObject, type Json } from '@countersign/protocol';
import { Ajv, type Format, type ValidateFunction } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { limits } from '../limits.js';
import { bounds } from './bounds.js';

/** A schema that is refused before it is compiled; the message says all. */
export class SchemaRefused extends Error {
  override readonly name = 'SchemaRefused';
}

const DRAFT_7 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;

const ajv = new Ajv({
  allErrors: true,
  strict: false,
  logger: false,
  ownProperties: true,
  formats: fullFormats as Record<string, Format>,
});
const matches = ajv.getSchema('http://json-schema.org/draft-07/schema') as ValidateFunction;

/**
 * Judges whether `schema` is a JSON Schema of draft-07 within `limits.schema` (contract 02 §1.1).
 *
 * @throws SchemaRefused in the wording of the contract
 */
export function judgeSchema(schema: Json): void {
  refuseDeeper(schema, limits.schema.depth);
  if (Buffer.byteLength(JSON.stringify(schema)) > limits.schema.bytes) {
    throw new SchemaRefused(`schema is invalid: it is larger than ${limits.schema.bytes} bytes`);
  }
  const { $schema } = isObject(schema) ? schema : {};
  if (typeof $schema === 'string' && !DRAFT_7.test($schema)) {
    throw new SchemaRefused(`no schema with key or ref "${$schema.slice(0, bounds.text)}"`);
  }
  if (matches(schema)) return;
  const errors = (matches.errors ?? []).slice(0, bounds.answered.errors);
  matches.errors = null;
  throw new SchemaRefused(`schema is invalid: ${ajv.errorsText(errors)}`);
}

function refuseDeeper(value: Json, levels: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (levels === 0) throw new SchemaRefused(`schema is invalid: it nests deeper than ${limits.schema.depth} levels`);
  for (const member of Object.values(value)) refuseDeeper(member, levels - 1);
}
