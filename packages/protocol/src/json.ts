/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. A type alias, so that the record types of `records.ts` are assignable to it. */
export type JsonObject = { [key: string]: Json };

/** Whether `value` is a JSON object; false for null and arrays. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Bounds on a JSON text. */
export interface JsonBounds {
  /** Arrays and objects within one another; 1 allows `[]` and `{}` with plain values. */
  readonly depth: number;
  /** Members and elements, over all objects and arrays. */
  readonly values: number;
}
