import type { Json, JsonObject } from '@countersign/protocol';
import type { ErrorObject } from 'ajv';
import { limits } from '../limits.js';

/** An error as `custom.errors` carries it (contract 01 §12). */
export type Answered = JsonObject & {
  instancePath: string;
  schemaPath: string;
  keyword: string;
  params: JsonObject;
  message: string;
};

/**
 * The error in the form that is answered. Long texts, which are the client's own names, are cut at `limits.schema.text`, so that
 * an answer does not grow to many times the request.
 */
export function answered(error: ErrorObject): Answered {
  const params: JsonObject = {};
  for (const [name, value] of Object.entries(error.params)) params[name] = cut(value as Json);
  return {
    instancePath: cut(error.instancePath),
    schemaPath: error.schemaPath,
    keyword: error.keyword,
    params,
    message: error.message ?? '',
  };
}

/** The first errors that `limits.schema.answered` lets through, at least one. */
export function answerable(errors: readonly ErrorObject[]): Answered[] {
  const list: Answered[] = [];
  let characters = 0;
  for (const error of errors.slice(0, limits.schema.answered.errors)) {
    const item = answered(error);
    characters += JSON.stringify(item).length;
    if (list.length > 0 && characters > limits.schema.answered.characters) break;
    list.push(item);
  }
  return list;
}

function cut<T extends Json>(value: T): T;
function cut(value: Json): Json {
  return typeof value === 'string' && value.length > limits.schema.text
    ? `${value.slice(0, limits.schema.text).replace(HALF_PAIR, '')}…`
    : value;
}

/** What a cut within a surrogate pair leaves: no Unicode, so the answer could not be hashed. */
const HALF_PAIR = /[\ud800-\udbff]$/;
