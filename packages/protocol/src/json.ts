/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. A type alias, so that the record types of `records.ts` are assignable to it. */
export type JsonObject = { [key: string]: Json };

/** Whether `value` is a JSON object; false for null and arrays. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
