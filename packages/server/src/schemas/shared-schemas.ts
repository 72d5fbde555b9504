import { type TSchema, Type } from 'typebox';

/** Parts of request schemas that many kinds have in common, by name. */
const parts = new Map<string, TSchema>();

/** The parts, each under its name as `$id`. */
export function listSharedSchemas(): (TSchema & { $id: string })[] {
  return [...parts].map(([name, schema]) => ({ ...schema, $id: name }));
}

/**
 * Makes `schema` a shared part and returns a reference to it. Every kind has access rules, and their schema is large:
 * compiled into each request schema anew, it took seconds at the first write of each kind.
 *
 * @param name unique among the parts; it is also what the part is called in the OpenAPI description
 */
export function defineShared<T>(name: string, schema: TSchema): ReturnType<typeof Type.Unsafe<T>> {
  if (parts.has(name)) throw new Error(`Two shared schemas are called ${name}.`);
  parts.set(name, schema);
  return reference<T>(name);
}

/** A reference to the shared part of that name, which may be made later. */
export function reference<T>(name: string): ReturnType<typeof Type.Unsafe<T>> {
  return Type.Unsafe<T>({ $ref: name });
}
