import type { ErrorObject } from 'ajv';
import type { Bounds } from './bounds.js';
import type { Json, JsonObject } from './json.js';

/** One reason why data does not match a schema, in Ajv's words. */
export type ValidationError = JsonObject & {
  instancePath: string;
  schemaPath: string;
  keyword: string;
  params: JsonObject;
  message: string;
};

/**
 * Reduces an error of Ajv to its five members and cuts long texts, which are names in the data: otherwise a list of
 * errors could grow to many times the data.
 *
 * @param longest characters of a text that are kept
 */
export function shortenError(error: ErrorObject, longest: number): ValidationError {
  const cut = <T extends Json>(value: T) => cutAt(longest, value);
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

/** The first errors, shortened, as many as `bounds.answered` lets through, but at least one. */
export function firstErrors(
  errors: readonly ErrorObject[],
  bounds: Pick<Bounds, 'answered' | 'text'>,
): ValidationError[] {
  const list: ValidationError[] = [];
  let characters = 0;
  for (const error of errors.slice(0, bounds.answered.errors)) {
    const item = shortenError(error, bounds.text);
    characters += JSON.stringify(item).length;
    if (list.length > 0 && characters > bounds.answered.characters) break;
    list.push(item);
  }
  return list;
}

function cutAt<T extends Json>(longest: number, value: T): T;
function cutAt(longest: number, value: Json): Json {
  return typeof value === 'string' && value.length > longest
    ? `${value.slice(0, longest).replace(HALF_PAIR, '')}…`
    : value;
}

/** The lone surrogate that a cut may leave: UTF-8 excludes it. */
const HALF_PAIR = /[\ud800-\udbff]$/;
